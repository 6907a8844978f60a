import { LRUCache } from "lru-cache"

/**
 * Remembers what validating requests has shown. A service sends a few dozen shapes of requests, with other values each
 * time. A shape known to be valid is not validated again, and its expressions are not parsed again; its values still
 * are checked.
 */
export class ValidatedShapes {
  readonly #parsed = new LRUCache<string, Parsed>({ max: 1000 })

  /** The request as validation would leave it; undefined if its shape is new or cannot be judged at once. */
  known<Request extends object>(request: Request): Request | undefined {
    const shape = shapeOf(request)
    const parsed = shape === undefined ? undefined : this.#parsed.get(shape)
    if (!parsed) return undefined
    const values = (request as Record<string, unknown>)[valuesName] as Values | undefined // the shape says so
    const filled: Record<string, unknown> = {}
    // An update writes into the key object that it was given.
    for (const [name, value] of Object.entries(request))
      if (value !== undefined && value !== null) filled[name] = name === "Key" ? { ...value } : value
    for (const [name, template] of Object.entries(parsed)) filled[name] = fill(template, values ?? {})
    return filled as Request
  }

  /** `checked` is the request as validation left it. */
  learn(request: object, checked: object): void {
    const shape = shapeOf(request)
    if (shape === undefined) return
    if (!isUnchanged(request, checked)) return
    const { [valuesName]: values = {} } = checked as { [valuesName]?: Values }
    const names = new Map(Object.entries(values).map(([name, value]) => [value, name]))
    const added = Object.entries(checked).filter(([name]) => !(name in request))
    this.#parsed.set(
      shape,
      Object.fromEntries(added.map(([name, value]) => [name, templateOf(value, names)])),
    )
  }
}

/** Whether validation has only added members. It may also turn "true" into a boolean and drop unknown ones. */
function isUnchanged(request: object, checked: object): boolean {
  const made = checked as Record<string, unknown>
  return Object.entries(request as Record<string, unknown>).every(
    ([name, value]) =>
      value === undefined || value === null || typeof value === "object" || made[name] === value,
  )
}

/** The members that validation adds to a request: parsed expressions, with a hole for each value. */
type Parsed = Record<string, unknown>
type Values = Record<string, object>

class Hole {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Parts of templates that are the same for all requests: they have no hole, and dynalite writes nothing into them. */
const fixed = new WeakSet<object>()

function isFixed(node: unknown): boolean {
  return typeof node !== "object" || node === null || fixed.has(node)
}

/** dynalite replaces the value of `SET a = b` in the section itself. */
function isWrittenInto(node: object): boolean {
  return "type" in node && node.type === "set"
}

function templateOf(node: unknown, names: Map<object, string>): unknown {
  if (typeof node !== "object" || node === null) return node
  const name = names.get(node)
  if (name !== undefined) return new Hole(name)
  const change = (inner: unknown) => templateOf(inner, names)
  const made = Array.isArray(node) ? node.map(change) : mapped(node, change)
  if (!isWrittenInto(made) && Object.values(made).every(isFixed)) fixed.add(Object.freeze(made))
  return made
}

function fill(template: unknown, values: Values): unknown {
  if (typeof template !== "object" || template === null || fixed.has(template)) return template
  if (template instanceof Hole) return values[template.name]
  if (Array.isArray(template)) return template.map((inner) => fill(inner, values))
  return mapped(template, (inner) => fill(inner, values))
}

function mapped(object: object, change: (value: unknown) => unknown): object {
  const made = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(object)) made[name] = change(value)
  return made
}

const valuesName = "ExpressionAttributeValues"

/** In these, a value decides whether the expression is valid. */
const dependsOnValues = /between|attribute_type/i
/** In characters; a longer item may be too large. */
const mostInItem = 300_000

/** Everything that a request's validity depends on, apart from values that are valid in any case. */
function shapeOf(request: object): string | undefined {
  let shape = ""
  for (const [name, value] of Object.entries(request) as [string, unknown][]) {
    if (value === undefined || value === null) continue
    const part = partOf(name, value)
    if (part === undefined) return undefined
    shape += `${name}=${part}\n`
  }
  return shape
}

function partOf(name: string, value: unknown): string | undefined {
  switch (name) {
    case "Key":
    case "Item":
    case "ExclusiveStartKey":
      return sizeOfMap(value) <= mostInItem ? "" : undefined
    case valuesName:
      return sizeOfMap(value) <= mostInItem ? typesOf(value as Values) : undefined
    case "ExpressionAttributeNames":
      return JSON.stringify(value)
    default:
      if (typeof value === "boolean" || typeof value === "number") return String(value)
      return typeof value === "string" && !dependsOnValues.test(value) ? value : undefined
  }
}

function typesOf(values: Values): string {
  let types = ""
  for (const [name, value] of Object.entries(values)) types += `${name} ${Object.keys(value)[0]},`
  return types
}

/** The size in characters if all attributes are well formed; NaN if one is not. */
function sizeOfMap(map: unknown): number {
  if (typeof map !== "object" || map === null || Array.isArray(map)) return Number.NaN
  let size = 0
  for (const [name, value] of Object.entries(map)) size += name.length + sizeOfValue(value)
  return size
}

function sizeOfValue(value: unknown): number {
  if (typeof value !== "object" || value === null) return Number.NaN
  const [entry, another] = Object.entries(value) as [string, unknown][]
  return entry && !another ? sizeOf(...entry) : Number.NaN
}

/** A number in the form in which it is stored. Validation must first normalise any other form. */
const plainNumber = /^(0|-?[1-9]\d{0,30}|-?(0|[1-9]\d{0,15})\.\d{0,15}[1-9])$/

function sizeOf(type: string, held: unknown): number {
  switch (type) {
    case "S":
      return typeof held === "string" ? held.length : Number.NaN
    case "N":
      return typeof held === "string" && plainNumber.test(held) ? held.length : Number.NaN
    case "B":
      return typeof held === "string" && isBase64(held) ? held.length : Number.NaN
    case "BOOL":
      return typeof held === "boolean" ? 1 : Number.NaN
    case "NULL":
      return held === true ? 1 : Number.NaN
    case "M":
      return 3 + sizeOfMap(held)
    case "L":
      return Array.isArray(held)
        ? held.reduce((sum: number, one) => sum + 3 + sizeOfValue(one), 3)
        : Number.NaN
    default:
      return Number.NaN
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && Buffer.from(text, "base64").toString("base64") === text
}
