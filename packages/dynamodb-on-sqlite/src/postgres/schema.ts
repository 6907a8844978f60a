import { CannotStart } from "../cannot-start.ts"
import { type Connections, literal } from "./connections.ts"

/** Raised when the form of what is stored changes. */
const format = "1"

/** The lock under which tables are made: several machines may start at once. */
export const schemaLock = 0x62_72_64_67

/**
 * Makes what the keeper needs beside its tables, unless it is there. `service` tells this service, on all of
 * its machines, from any other. @throws CannotStart if the database is another's
 */
export async function openSchema({ alone }: Connections, service: string): Promise<void> {
  const said = await alone((ask) =>
    ask(`BEGIN; SELECT pg_advisory_xact_lock(${schemaLock});
      CREATE TABLE IF NOT EXISTS bridge_service (id int PRIMARY KEY, format text NOT NULL, service text NOT NULL);
      CREATE TABLE IF NOT EXISTS bridge_tables (name text COLLATE "C" PRIMARY KEY, definition text NOT NULL);
      CREATE TABLE IF NOT EXISTS bridge_tokens
        (token text COLLATE "C" PRIMARY KEY, content text NOT NULL, at timestamptz NOT NULL);
      CREATE INDEX IF NOT EXISTS bridge_tokens_at ON bridge_tokens (at);
      INSERT INTO bridge_service VALUES (1, ${literal(format)}, ${literal(service)}) ON CONFLICT DO NOTHING;
      COMMIT; SELECT format, service FROM bridge_service`),
  )
  const [owner] = said.at(-1)!
  if (owner?.format !== format)
    throw new CannotStart(
      `the database of STORE_URL has rows of format ${owner?.format}, and this version reads format ${format}: ` +
        "start the version that wrote them, or give another database",
    )
  if (owner.service !== service)
    throw new CannotStart(
      "the database of STORE_URL belongs to another service, whose keys are not these: give this one a database " +
        "of its own, or, if it is another machine of that service, its key files",
    )
}
