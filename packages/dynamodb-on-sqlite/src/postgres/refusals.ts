import { CannotStart, MayPass } from "../cannot-start.ts"
import { ConnectionLost, Refusal, unavailable } from "../refusal.ts"
import { type Connections, isAnswer } from "./connections.ts"

/** Refuses a server on which the service cannot go on. @throws CannotStart */
export async function refuseServer({ ask }: Connections): Promise<void> {
  const [[found]] = (await ask(`SELECT current_setting('server_version_num') AS version,
    current_setting('server_version') AS named, pg_is_in_recovery()::text AS standby,
    current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('transaction_read_only') AS readonly, current_schema() AS schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)::text AS creates`).catch(
    (error: unknown) => {
      throw cannotReach(error)
    },
  )) as [[Record<string, string | null>]]
  if (Number(found.version) < 140_000)
    throw new CannotStart(`STORE_URL leads to PostgreSQL ${found.named}: 14 or newer is needed`)
  if (found.standby === "true" || found.readonly === "on")
    throw new MayPass(
      "STORE_URL leads to a database that only reads (a standby?): give the primary's address",
    )
  if (found.encoding !== "UTF8")
    throw new CannotStart(
      `the database of STORE_URL has the encoding ${found.encoding}: make one with ENCODING 'UTF8'`,
    )
  if (found.fsync !== "on")
    throw new CannotStart(
      "the server of STORE_URL runs with fsync = off, and would lose what was acknowledged",
    )
  if (found.creates !== "true")
    throw new CannotStart(
      `the user of STORE_URL may make no tables in ${found.schema ? `the schema ${found.schema}` : "any schema"}: ` +
        "GRANT CREATE ON SCHEMA ... TO ...",
    )
}

function cannotReach(error: unknown): CannotStart {
  const { code = "", message } = error as { code?: string; message: string }
  const isForGood = /^(28|3D|08P01)/.test(code)
  const Kind = isForGood ? CannotStart : MayPass
  return new Kind(`the database of STORE_URL cannot be used: ${message}`, { cause: error })
}

/**
 * PostgreSQL's error in the words of DynamoDB, which the service knows. What is not known to have failed ends
 * like a lost connection: the caller asks again, under its token.
 */
export function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal) return error
  // The connection ended, and nobody knows whether a change was committed.
  if (!isAnswer(error)) return new ConnectionLost("the database gave no answer", { cause: error })
  const { code = "" } = error as { code?: string }
  // A deadlock, a serialization failure, or a lock that another holds for too long.
  if (code === "55P03" || code.startsWith("40"))
    return new Refusal("TransactionConflictException", "Transaction is ongoing for the item")
  if (/^(53|57|25|58)/.test(code)) return unavailable(`the database cannot do it now (${code})`)
  return error
}
