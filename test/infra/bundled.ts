import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** What SST's component asks its program to bundle, as `evaluate` has left it. */
const Build = z.object({
  handler: z.string(),
  runtime: z.literal("nodejs24.x"),
  properties: z.object({ minify: z.boolean().default(false), architecture: z.string() }).strict(),
})

/** Bundles a function of a stage that was evaluated. */
export async function bundled(name: string, outfile: string, stage = "production"): Promise<void> {
  const asked = join(root, ".sst/graph", stage, "bundles", name, "build.json")
  const { handler, properties } = Build.parse(JSON.parse(readFileSync(asked, "utf8")))
  await bundle({ handler, outfile, minify: properties.minify })
}

/**
 * Bundles a function as SST's program does (`pkg/runtime/node/build.go` of 4.17), with the version of esbuild
 * that is built into it. Only what the stage's build asks for is minified, which is nothing by itself.
 */
export async function bundle(input: { handler: string; outfile: string; minify: boolean }): Promise<void> {
  const { handler, outfile, minify } = input
  const { build } = await import(join(root, "infra/node_modules/esbuild/lib/main.js"))
  await build({
    entryPoints: [join(root, `${handler.split(".")[0]}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    external: ["sharp", "pg-native"],
    mainFields: ["module", "main"],
    minify,
    keepNames: true,
    sourcemap: "linked",
    logLevel: "error",
    banner: {
      js: [
        "import { createRequire as topLevelCreateRequire } from 'module';",
        "const require = topLevelCreateRequire(import.meta.url);",
        'import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"',
        "const __filename = topLevelFileUrlToPath(import.meta.url)",
        'const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))',
        "",
      ].join("\n"),
    },
  })
}
