import { createHash } from "node:crypto"
import { z } from "zod"
import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { MoveApiKey } from "#core/account/move-api-key.ts"
import { need } from "#core/platform/config.ts"
import { type Item, toRow } from "#core/store/dynamodb-json.ts"
import type { Row } from "#core/store/store.ts"
import { readSealed, writeSealed } from "#one-machine/backup/sealed-file.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import release from "../../package.json" with { type: "json" }

/*
 * An export: JSON lines, sealed. The first says what is in it. Then come the accounts, the rows of the
 * bridges, and for each bridge what it `left` as, which is written last where it arrives.
 */

/** The first line of an export: when it was made, and the bridges in it. */
export const ExportHeader = z.object({
  /** The release that made it. */
  release: z.string(),
  madeMs: z.number().int(),
  bridges: z
    .array(
      z.object({
        id: z.string(),
        customerRef: z.string(),
        accountId: z.string(),
        network: z.enum(["live", "simulated"]),
        /** How often the bridge has left a service, this time included. */
        moves: z.number().int(),
      }),
    )
    .min(1),
})
export type ExportHeader = z.infer<typeof ExportHeader>
export type ListedBridge = ExportHeader["bridges"][number]

/** A row in DynamoDB's own JSON, which can hold bytes. */
const Stored = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .transform((item: Item): Row => toRow(item))
const DataKey = z.base64().transform((text): Uint8Array => Buffer.from(text, "base64"))

/**
 * An account, without what belongs to the service that it leaves: what it pays, its audit log, its people's
 * passkeys.
 */
const OfAccount = z.object({
  account: Account.Info,
  people: z.array(z.object({ email: z.string(), role: Member.Role })),
  keys: z.array(MoveApiKey.Info),
})
const OfBridge = z.object({
  /** The bridge's id. */
  of: z.string(),
  table: z.enum(["sessions", "events", "requests"]),
  row: Stored,
})
const AsLeft = z.object({
  left: z.object({
    id: z.string(),
    lease: Stored,
    bridge: Stored,
    deliveries: z.array(Stored),
    keys: z.object({ session: DataKey, delivery: DataKey }),
  }),
})
const Line = z.union([OfBridge, OfAccount, AsLeft])
export type Line = z.output<typeof Line>

/** A line as it is written: rows in DynamoDB's JSON, keys in base64. */
export function lineOf(line: z.input<typeof Line> | ExportHeader): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** Seals an export into a new file. */
export async function writeExport(
  path: string,
  passphrase: string,
  lines: AsyncIterable<Buffer>,
): Promise<void> {
  await writeSealed(path, { kind: "export", passphrase, service: thisService() }, lines)
}

/** A name for this service, which tells nothing about its secrets. */
function thisService(): string {
  return createHash("sha256")
    .update(`service of ${need("API_KEY_PEPPER")}`)
    .digest("hex")
    .slice(0, 12)
}

/** Reads an export: `read` is given its lines. @throws Unusable */
export async function readExport<Result>(
  path: string,
  passphrase: string,
  read: (about: ExportHeader, lines: AsyncIterable<Line>) => Promise<Result>,
): Promise<Result> {
  const texts = textsOf(readSealed("export", path, passphrase))
  try {
    const first = await texts.next()
    const about = ExportHeader.parse(JSON.parse(first.done ? "" : first.value))
    if (isNewer(about.release))
      throw new Unusable(
        `${path} was made by release ${about.release}, and this is ${release.version}: upgrade first`,
      )
    return await read(about, linesOf(texts))
  } finally {
    await texts.return(undefined)
  }
}

/** Reads all of an export, so that a file that is not whole changes nothing. @throws Unusable */
export async function checkExport(path: string, passphrase: string): Promise<ExportHeader> {
  return await readExport(path, passphrase, async (about, lines) => {
    const left = new Set(about.bridges.map(({ id }) => id))
    for await (const line of lines) if ("left" in line) left.delete(line.left.id)
    if (left.size > 0) throw new Unusable(`${path} is not whole`)
    return about
  })
}

function isNewer(made: string): boolean {
  const [theirs, ours] = [made, release.version].map((one) => one.split(".").map(Number))
  const differs = theirs!.findIndex((part, at) => part !== ours![at])
  return differs >= 0 && theirs![differs]! > ours![differs]!
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  for await (const text of texts) yield Line.parse(JSON.parse(text))
}

async function* textsOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = []
  for await (const bytes of content) {
    let from = 0
    for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, end)]).toString()
      begun = []
      from = end + 1
    }
    begun.push(bytes.subarray(from))
  }
}
