import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { z } from "zod"

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      /** A package of this repository. */
      link: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
})

test.for(["package-lock.json", "infra/package-lock.json"])(
  "%s can be installed: it names no address, and no package that it does not hold",
  (file) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
    const { packages } = Lock.parse(JSON.parse(text))
    const absent = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages),
      ),
    )
    // `npm ci` refuses a lock file that lacks what it names, even where another platform needs it.
    expect(absent).toEqual([])
    expect(Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual(
      [],
    )
  },
)
