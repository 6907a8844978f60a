import type { Use } from "./aws-recorder.ts"

/** The measures by which on-demand DynamoDB bills: units of 1 KB written and of 4 KB read. */
export interface DynamoDbUnits {
  writes: number
  reads: number
}

/** By what is done to which kind of row. */
type Counts = Map<string, number>

function count(counts: Counts, kind: string, more: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + more)
}

/**
 * Adds up the units of what is asked of the tables for messages. What hosts and the sweep ask at rest (beats,
 * looks for free leases and for overdue deliveries) is left out: it is counted by the clock.
 */
export function dynamoDbMeter() {
  const sizes = new Map<string, number>()
  let total: DynamoDbUnits = { writes: 0, reads: 0 }
  let byRow: Counts = new Map()
  let readsByRow: Counts = new Map()
  let requests: Counts = new Map()

  function note(use: Use): void {
    if (isAtRest(use)) return
    const { writes, reads } = unitsOf(use)
    if (writes > 0) count(byRow, kindOf(use), writes)
    if (reads > 0) count(readsByRow, kindOf(use), reads)
    total = { writes: total.writes + writes, reads: total.reads + reads }
  }

  function unitsOf(use: Use): DynamoDbUnits {
    switch (use.action) {
      case "dynamodb:GetItem":
      case "dynamodb:BatchGetItem":
      case "dynamodb:Query": {
        const items = use.answer.Items ?? (use.answer.Item ? [use.answer.Item] : [])
        const units = Math.max(1, Math.ceil(items.reduce((sum, item) => sum + sizeOf(item), 0) / 4096))
        return { writes: 0, reads: use.consistent ? units : units / 2 }
      }
      case "dynamodb:ConditionCheckItem":
        return { writes: 2 * kilobytes(use), reads: 0 }
      default:
        return { writes: (use.transacted ? 2 : 1) * kilobytes(use) + indexed(use), reads: 0 }
    }
  }

  /** The size of the row as it was or will be, whichever is larger: an update or removal does not say. */
  function kilobytes(use: Use): number {
    const { pk, sk } = use.Item ?? use.Key ?? {}
    const name = JSON.stringify([use.resource, pk, sk])
    const size = Math.max(sizeOf(use.Item ?? use.answer.Attributes ?? {}), sizes.get(name) ?? 0)
    sizes.set(name, size)
    return Math.max(1, Math.ceil(size / 1024))
  }

  return {
    note,
    /** A request with these uses. */
    noteRequest: (uses: Use[]): void => {
      if (uses.every(isAtRest)) return
      const kind = [...new Set(uses.map(kindOf))].join(" + ")
      count(requests, kind, 1)
    },
    /** Since the last time that this was asked. */
    take(): DynamoDbUnits & { requests: Counts; byRow: Counts; readsByRow: Counts } {
      const taken = { ...total, requests, byRow, readsByRow }
      requests = new Map()
      total = { writes: 0, reads: 0 }
      byRow = new Map()
      readsByRow = new Map()
      return taken
    },
  }
}

/**
 * A change of what an index holds of a row is written there as well; a change of the row's key there, twice.
 * `bySince` holds nothing but keys, from a promise until nothing waits.
 */
function indexed(use: Use): number {
  const sk = keyOf(use)
  if (sk === "DELIVERY") return isPromise(use) || /REMOVE since/.test(use.UpdateExpression ?? "") ? 1 : 0
  if (sk === "LEASE") return /#host =/.test(use.UpdateExpression ?? "#host =") ? 2 : 1
  return 0
}

/** A claim writes `since` where it is missing, which it is not. */
function isPromise(use: Use): boolean {
  if (use.Item) return use.Item.since !== undefined
  return /^SET due = .*since = /.test(use.UpdateExpression ?? "")
}

function isAtRest(use: Use): boolean {
  if (use.resource === "Leases/index/byHost" || use.resource.startsWith("Events/index/")) return true
  if (use.resource !== "Leases") return false
  // The sweep alone asks the table of leases for a list: for the hosts.
  return (
    use.action === "dynamodb:Query" ||
    /"HOSTS[#"]|"HOST_STOP"|"SHORTAGE"/.test(JSON.stringify(use.Key ?? use.Item ?? {}))
  )
}

/** `PutItem Events EVENT#`: what is done to which kind of row. */
function kindOf(use: Use): string {
  // The wire form.
  const { pk, sk } = (use.Item ?? use.Key ?? {}) as { pk?: { S?: string }; sk?: { S?: string } }
  const row = sk?.S?.replace(/#.*/, "#") ?? ""
  const of = pk?.S?.startsWith("BRIDGE#") ? row : `${pk?.S?.replace(/#.*/, "#")} ${row}`
  return `${use.action.replace("dynamodb:", "")} ${use.resource} ${of}`
}

function keyOf(use: Use): unknown {
  const key = use.Item ?? use.Key ?? {}
  const { S } = (key.sk ?? {}) as { S?: unknown } // the wire form of a string
  return S
}

/** As DynamoDB counts: names and values; binary values travel as base64. */
function sizeOf(item: Record<string, unknown>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOfValue(value), 0)
}

function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value)
  if (typeof value !== "object" || value === null) return 1
  const inner = Object.entries(value).reduce(
    (sum, [type, content]) => sum + (type === "B" ? String(content).length * 0.75 : sizeOfValue(content)),
    0,
  )
  return inner + 1
}
