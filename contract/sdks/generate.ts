// Writes the contract in TypeScript and in Python, where the SDKs have it: `npm run clients:generate`. With
// `--check` it only says whether those files are what it would write.
import { readFileSync, writeFileSync } from "node:fs"
import { openapi } from "#contract/openapi.ts"
import { python } from "./python.ts"
import { typescript } from "./typescript.ts"

/** Each file that is generated, by its path. */
export function generated(): Record<string, string> {
  const modules = Object.entries(python(openapi())).map(([name, text]) => [
    `packages/sdk-python/src/messaging_bridge/${name}`,
    text,
  ])
  return { "packages/sdk-typescript/src/generated.ts": typescript(openapi()), ...Object.fromEntries(modules) }
}

if (import.meta.main)
  for (const [path, text] of Object.entries(generated())) {
    const file = new URL(`../../${path}`, import.meta.url)
    if (!process.argv.includes("--check")) writeFileSync(file, text)
    else if (readFileSync(file, "utf8") !== text) {
      console.error(`${path} is not what the contract says: npm run clients:generate`)
      process.exitCode = 1
    }
  }
