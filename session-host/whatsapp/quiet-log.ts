import type { SocketConfig } from "@whiskeysockets/baileys"
import type { Logger } from "pino"

/** The logger that Baileys wants. */
export type ILogger = SocketConfig["logger"]

/**
 * Baileys' log, reduced to what may be written: its warnings and errors, without the stanzas, keys and bodies
 * that it hands to its logger, and without phone numbers.
 */
export function quietLog(log: Logger): ILogger {
  const quiet: ILogger = {
    level: "warn",
    child: () => quiet,
    trace: () => {},
    debug: () => {},
    info: () => {},
    warn: (said, text) => log.warn(about(said), sentence(said, text)),
    error: (said, text) => log.warn(about(said), sentence(said, text)),
  }
  return quiet
}

function sentence(said: unknown, text: string | undefined) {
  return `baileys: ${redacted(typeof said === "string" ? said : (text ?? ""))}`
}

function about(said: unknown): { error?: string; trace?: string } {
  if (typeof said !== "object" || said === null) return {}
  // Baileys logs its errors under all these names, or without a name.
  const { err, error, e, trace, uploadError } = said as Record<string, unknown>
  const cause = [err, error, e, uploadError, said].find((each) => each instanceof Error)
  return {
    ...(cause instanceof Error && { error: redacted(`${cause.name}: ${cause.message}`) }),
    ...(typeof trace === "string" && { trace: redacted(trace.split("\n")[0] ?? "") }),
  }
}

/** Numbers of five digits and more, and anything that looks like a key. */
export function redacted(text: string): string {
  return text.replaceAll(/[A-Za-z0-9+/=_-]{24,}/g, "…").replaceAll(/\d{5,}/g, "…")
}
