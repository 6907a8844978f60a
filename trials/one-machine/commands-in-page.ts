import { readFileSync } from "node:fs"

/**
 * The commands of a page that a reader is meant to run: the lines of each shell block after `<!-- run -->`.
 */
export function readCommands(path: string): string[] {
  const page = readFileSync(path, "utf8")
  const blocks = [...page.matchAll(/<!-- run -->\s+```sh\n([^]*?)```/g)].map(([, block]) => block!)
  return blocks.flatMap((block) => block.split("\n").filter((line) => line !== "" && !line.startsWith("#")))
}
