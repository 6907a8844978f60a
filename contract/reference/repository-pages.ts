import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"

/** The pages for people, in their order: the parts and what is in each. */
const list = "docs/README.md"

/** A page of the repository that the service shows. */
export interface RepositoryPage {
  /** As in `/docs/<name>`, and as Markdown in `/docs/<name>.md`; that of the list is `list`. */
  name: string
  /** In the repository. */
  file: string
  title: string
  /** The part of the list that it is in, and its name there; undefined of a page that only others lead to. */
  place: { part: string; label: string } | undefined
  /** Markdown. Links to other pages and pictures lead to where they are served, all others out of here. */
  text: string
}

/** A link to something in the repository, or a picture from there: `[shown](to#part)`. */
const links = /\[([^\]]*)\]\((?!https?:|mailto:|\/)([^)#\s]*)(#[^)\s]*)?\)/g

/** The project's folder, or that of a function, which has these files beside it. */
const project = ["./", "../../"]
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(join(folder, list)))!
let pages: RepositoryPage[] | undefined

/** The pages of the list in its order, and then those that they lead to. They are read once. */
export function repositoryPages(): RepositoryPage[] {
  pages ??= readPages(project)
  return pages
}

/** The files of these pages and their pictures, which a function has beside it. `folder`: the project's. */
export function pageFiles(folder: string): string[] {
  const found = filesFrom(folder)
  return [...found.keys(), ...[...found].flatMap(([file, text]) => picturesIn(file, text, folder))]
}

/** A picture of a page, by its name in `/docs/pictures/<name>`. */
export function pictureOfPage(name: string): { type: string; bytes: Uint8Array<ArrayBuffer> } | undefined {
  const type = { png: "image/png", svg: "image/svg+xml" }[posix.extname(name).slice(1)]
  const file = join(project, "docs/pictures", name)
  if (type === undefined || !/^[\w-]+\.\w+$/.test(name) || !existsSync(file)) return undefined
  return { type, bytes: new Uint8Array(readFileSync(file)) }
}

/** The part of an address that leads to a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
}

function readPages(folder: string): RepositoryPage[] {
  const found = filesFrom(folder)
  const places = placesIn(found.get(list) ?? "")
  return [...found].map(([file, text]) => ({
    name: nameOf(file),
    file,
    title: /^# (.*)$/m.exec(text)?.[1] ?? nameOf(file),
    place: places.get(file),
    text: text.replaceAll(links, (link, shown: string, to: string, part = "") => {
      if (to === "") return link
      const target = posix.join(posix.dirname(file), to)
      if (found.has(target)) return `[${shown}](${nameOf(target)}.md${part})`
      return isPicture(target) ? `[${shown}](pictures/${posix.basename(target)})` : shown
    }),
  }))
}

/** Each file that the list leads to, also by other pages, with its text. */
function filesFrom(folder: string): Map<string, string> {
  const read = (file: string) => readFileSync(join(folder, file), "utf8")
  const found = new Map([[list, read(list)]])
  // Files that are added on the way are looked through as well.
  for (const [file, text] of found)
    for (const target of targetsIn(file, text))
      if (target.endsWith(".md") && !found.has(target) && existsSync(join(folder, target)))
        found.set(target, read(target))
  return found
}

function targetsIn(file: string, text: string): string[] {
  return [...text.matchAll(links)]
    .filter(([, , to]) => to !== "")
    .map(([, , to = ""]) => posix.join(posix.dirname(file), to))
}

function picturesIn(file: string, text: string, folder: string): string[] {
  return targetsIn(file, text).filter((target) => isPicture(target) && existsSync(join(folder, target)))
}

function isPicture(file: string): boolean {
  return file.startsWith("docs/pictures/")
}

/** `docs/receivers/README.md` is `receivers`, and the project's own `README.md` is `overview`. */
function nameOf(file: string): string {
  if (file === list) return "list"
  const name = posix.basename(file.replace(/\/?README\.md$/, ""), ".md").toLowerCase()
  return name === "" ? "overview" : name
}

/** The items of the list, by file, with the heading that each is under. */
function placesIn(text: string): Map<string, { part: string; label: string }> {
  return new Map(
    text.split(/^## /m).flatMap((section) => {
      const [part = ""] = section.split("\n", 1)
      return [...section.matchAll(/^- \[([^\]]*)\]\(([^)\s]*)\)/gm)].map(
        ([, label = "", to = ""]) => [posix.join(posix.dirname(list), to), { part, label }] as const,
      )
    }),
  )
}
