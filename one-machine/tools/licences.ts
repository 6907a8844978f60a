/** `npm run licences > LICENSES.md`: the licences of the packages that the service is made of. */
import { readFileSync } from "node:fs"
import { z } from "zod"

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
})

/** The page, made from the lock file. Development packages are left out, since they are not passed on. */
function licences(lock: unknown): string {
  const packages = Object.entries(Lock.parse(lock).packages).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link,
  )
  const byLicence = Map.groupBy(packages, ([, { license }]) => license ?? "none named")
  const sections = [...byLicence]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, its]) => {
      const names = new Set(its.map(([path]) => path.replace(/^.*node_modules\//, "")))
      return `## ${licence}\n\n${[...names].toSorted().join(", ")}\n`
    })
  return `# Licences of what the service is made of\n\nMade by \`npm run --silent licences\` from package-lock.json; a test compares them.\n\n${sections.join("\n")}`
}

process.stdout.write(
  licences(JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"))),
)
