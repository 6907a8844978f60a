import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { type AuthenticationCreds, BufferJSON } from "@whiskeysockets/baileys"

/** What concerns a login in Evolution 2.3's tables, by its own names (`prisma/postgresql-schema.prisma`). */
export const evolutionTables = `
CREATE TYPE "InstanceConnectionStatus" AS ENUM ('open', 'close', 'connecting');
CREATE TABLE "Instance" (
  id TEXT PRIMARY KEY, name VARCHAR(255) NOT NULL UNIQUE,
  "connectionStatus" "InstanceConnectionStatus" NOT NULL DEFAULT 'open',
  "ownerJid" VARCHAR(100), "profileName" VARCHAR(100), "profilePicUrl" VARCHAR(500),
  integration VARCHAR(100), number VARCHAR(100), "businessId" VARCHAR(100), token VARCHAR(255),
  "clientName" VARCHAR(100), "createdAt" TIMESTAMP DEFAULT now(), "updatedAt" TIMESTAMP
);
CREATE TABLE "Session" (
  id TEXT PRIMARY KEY, "sessionId" TEXT NOT NULL UNIQUE REFERENCES "Instance" (id) ON DELETE CASCADE,
  creds TEXT, "createdAt" TIMESTAMP NOT NULL DEFAULT now()
);
CREATE TABLE "Webhook" (
  id TEXT PRIMARY KEY, url VARCHAR(500) NOT NULL, headers JSONB, enabled BOOLEAN DEFAULT true, events JSONB,
  "webhookByEvents" BOOLEAN DEFAULT false, "webhookBase64" BOOLEAN DEFAULT false,
  "createdAt" TIMESTAMP DEFAULT now(), "updatedAt" TIMESTAMP NOT NULL DEFAULT now(),
  "instanceId" TEXT NOT NULL UNIQUE REFERENCES "Instance" (id) ON DELETE CASCADE
)`

/** The database of an Evolution, as that writes it: credentials are JSON within JSON. */
export function evolutionDatabase(url: string) {
  const ask = psql(url)
  return {
    names: async () => await ask(`SELECT name FROM "Instance" ORDER BY name`),
    /** The id of an instance, which is made if it is new. */
    async instance(name: string, id: string): Promise<string> {
      await ask(`INSERT INTO "Instance" (id, name, "connectionStatus", integration, token, "clientName", "updatedAt")
        VALUES (${text(id)}, ${text(name)}, 'close', 'WHATSAPP-BAILEYS', ${text(id)}, 'evolution', now()) ON CONFLICT DO NOTHING`)
      const [found] = await ask(`SELECT id FROM "Instance" WHERE name = ${text(name)}`)
      return found!
    },
    async creds(instance: string): Promise<AuthenticationCreds | undefined> {
      const [found] = await ask(`SELECT creds FROM "Session" WHERE "sessionId" = ${text(instance)}`)
      if (found === undefined) return undefined
      const inner = JSON.parse(found) as string // written by `keep`
      return JSON.parse(inner, BufferJSON.reviver) as AuthenticationCreds
    },
    async keep(instance: string, creds: AuthenticationCreds): Promise<void> {
      const value = text(JSON.stringify(JSON.stringify(creds, BufferJSON.replacer)))
      await ask(`INSERT INTO "Session" (id, "sessionId", creds) VALUES (${text(`c${instance}`)}, ${text(instance)}, ${value})
        ON CONFLICT ("sessionId") DO UPDATE SET creds = excluded.creds`)
      if (creds.me)
        await ask(`UPDATE "Instance" SET "connectionStatus" = 'open', "ownerJid" = ${text(creds.me.id.replace(/:\d+/, ""))}
          WHERE id = ${text(instance)}`)
    },
  }
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`
const end = "-- end of the answer --"

/** A psql that runs statements one after the other, and gives their rows as lines. */
function psql(url: string): (statement: string) => Promise<string[]> {
  const child = spawn("psql", ["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", url], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let turn: Promise<unknown> = Promise.resolve()
  const answerTo = async (statement: string) => {
    child.stdin.write(`${statement.replaceAll("\n", " ")};\n\\echo ${end}\n`)
    const rows: string[] = []
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error("psql has ended")
      if (value === end) return rows
      rows.push(value)
    }
  }
  return async (statement) => {
    const mine = turn.then(() => answerTo(statement))
    turn = mine.catch(() => "the next one asks for itself")
    return await mine
  }
}
