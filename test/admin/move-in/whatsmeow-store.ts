import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type BinaryNode, BufferJSON } from "@whiskeysockets/baileys"
import { onTestFinished } from "vitest"

/** The recorded store, as `trials/move-in/whatsmeow/record.ts` has written it. */
export const sql = readFileSync(new URL("whatsmeow.sql", import.meta.url), "utf8")
/** What waited for it: stanzas, and the text that is in each. */
export const recorded = JSON.parse(
  readFileSync(new URL("whatsmeow.json", import.meta.url), "utf8"),
  BufferJSON.reviver,
) as { texts: Record<string, string>; waiting: BinaryNode[] }

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "move-in-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A file with that store, changed by these statements, which nobody has touched for two minutes. */
export function aStore(input: { change?: string; file?: string; schema?: string } = {}): string {
  const file = input.file ?? join(aFolder(), "whatsapp.db")
  mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec(`BEGIN; ${input.schema ?? sql}; ${input.change ?? ""}; COMMIT`)
  db.close()
  letRest(file)
  return file
}

export function letRest(...files: string[]): void {
  const then = Date.now() / 1000 - 120
  for (const file of files) utimesSync(file, then, then)
}
