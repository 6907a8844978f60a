import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

interface Profile {
  nodes: Node[]
  /** The node that each sample was at, and the microseconds since the sample before. */
  samples: number[]
  timeDeltas: number[]
}
interface Node {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
  children?: number[]
}

const root = fileURLToPath(new URL("../../", import.meta.url))
const shown = 12

/**
 * Where a process spent its processor time: packages and folders by their own time and with all they call,
 * and functions by their own time. Shares are of the time in which the process was not idle.
 */
export function printProfile(file: string): void {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(file, "utf8")) // by V8
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const own = new Map<string, number>()
  const whole = new Map<string, number>()
  const functions = new Map<string, number>()
  let busy = 0

  for (const [i, id] of samples.entries()) {
    const node = byId.get(id)
    const time = (timeDeltas[i] ?? 0) / 1000
    if (!node || node.callFrame.functionName === "(idle)" || placeOf(node) === "node:inspector") continue
    busy += time
    add(own, placeOf(node), time)
    add(functions, nameOf(node, byId, parents), time)
    for (const place of placesOver(node, byId, parents)) add(whole, place, time)
  }

  const percent = (time: number) => `${((100 * time) / busy).toFixed(1).padStart(5)} %`
  console.error(`\n${basename(file)}: busy for ${(busy / 1000).toFixed(1)} s`)
  for (const [place, time] of highest(own))
    console.error(
      `  ${percent(time)} itself  ${percent(whole.get(place) ?? time)} with all it calls  ${place}`,
    )
  for (const [name, time] of highest(functions)) console.error(`  ${percent(time)}  ${name}`)
}

function add(sums: Map<string, number>, name: string, time: number): void {
  sums.set(name, (sums.get(name) ?? 0) + time)
}

function highest(sums: Map<string, number>): [string, number][] {
  return [...sums].toSorted(([, a], [, b]) => b - a).slice(0, shown)
}

/** Each once, however deep it calls itself. */
function placesOver(node: Node, byId: Map<number, Node>, parents: Map<number, number>): Set<string> {
  const places = new Set<string>()
  for (let at: Node | undefined = node; at; at = byId.get(parents.get(at.id) ?? -1)) places.add(placeOf(at))
  return places
}

/** A package, a folder of ours, a part of Node, or what V8 calls it. */
function placeOf({ callFrame: { url, functionName } }: Node): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "(built in)"
  if (url.startsWith("node:")) return url.split("/").slice(0, 2).join("/")
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)
  if (inPackage) return inPackage[1]!
  return ours(url).split("/").slice(0, -1).join("/") || "(elsewhere)"
}

/** Built-in functions are named together with the function that called them. */
function nameOf(node: Node, byId: Map<number, Node>, parents: Map<number, number>): string {
  const { url, functionName, lineNumber } = node.callFrame
  const name = functionName || "(anonymous)"
  if (url !== "") return `${name}  ${ours(url).replace(/.*node_modules\//, "")}:${lineNumber + 1}`
  const caller = byId.get(parents.get(node.id) ?? -1)
  return caller && caller.callFrame.functionName !== "(root)"
    ? `${name} < ${nameOf(caller, byId, parents)}`
    : name
}

function ours(url: string): string {
  return url.replace("file://", "").replace(root, "")
}
