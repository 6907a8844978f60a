import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"

/**
 * The pages of the repository for users of the API, by the names in their paths, such as
 * `/api/docs/contract.md`.
 */
const files: Record<string, string> = {
  agents: "docs/agents.md",
  recipes: "docs/recipes.md",
  contract: "docs/contract.md",
  moving: "docs/moving.md",
  evolution: "docs/moving-from-evolution.md",
  waha: "docs/moving-from-waha.md",
  baileys: "docs/moving-from-baileys.md",
  passkeys: "docs/passkey.md",
  receivers: "docs/receivers/README.md",
  typescript: "packages/sdk-typescript/README.md",
  python: "packages/sdk-python/README.md",
  cli: "packages/cli/README.md",
  n8n: "packages/n8n/README.md",
}
/** The files of these pages, which a function has beside it. */
export const pageFiles = Object.values(files)

const nameOf = new Map(Object.entries(files).map(([name, file]) => [file, name]))
const besideFunction = new URL("./", import.meta.url)
const root = existsSync(new URL("docs", besideFunction)) ? besideFunction : new URL("../../", import.meta.url)

/**
 * These pages, in this order. Links between them lead to where they are served; other links in the repository
 * are text.
 */
export function repositoryPages(): { name: string; title: string; text: string }[] {
  return Object.entries(files).map(([name, file]) => {
    const text = readFileSync(new URL(file, root), "utf8").replaceAll(
      /\[([^\]]*)\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)/g,
      (_, shown: string, to: string, part = "") => {
        if (to === "") return `[${shown}](${part})`
        const other = nameOf.get(posix.join(posix.dirname(file), to))
        return other === undefined ? shown : `[${shown}](${other}.md${part})`
      },
    )
    return { name, title: /^# (.*)$/m.exec(text)?.[1] ?? name, text }
  })
}
