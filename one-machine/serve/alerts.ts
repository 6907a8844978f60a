import { alarms, type Rule } from "#core/platform/alarm-rules.ts"
import { log } from "#core/platform/log.ts"
import type { Minute } from "./measurements.ts"

type Minutes = ReadonlyMap<string, Minute>

/** The longest that a rule looks back, in minutes. */
const longest = 60

/** Tells the operator. Rejects if that was not possible. */
export type Tell = (alert: { name: string; isOver: boolean }) => Promise<unknown>

/**
 * Tells the operator of one machine when an alarm rings and when it is over, as CloudWatch does on AWS: the
 * same rules, and those that are about the machine. What could not be told is told again with the next
 * minute.
 */
export class Alerts {
  readonly #tell: Tell
  /** Whether each alarm about the machine rings, by name. */
  readonly #ofTheMachine: Record<string, () => boolean | Promise<boolean>>
  /** Newest last. */
  #minutes: Minutes[] = []
  readonly #told = new Set<string>()
  #ringing: ReadonlyMap<string, boolean> = new Map()

  constructor(options: { tell: Tell; ofTheMachine: Record<string, () => boolean | Promise<boolean>> }) {
    this.#tell = options.tell
    this.#ofTheMachine = options.ofTheMachine
  }

  /**
   * Looks at the rules after one more minute. Resolves when everything that changed was told, or could not
   * be.
   */
  async minuteOver(minute: Minutes): Promise<void> {
    this.#minutes = [...this.#minutes, minute].slice(-longest)
    const names = [...Object.keys(alarms), ...Object.keys(this.#ofTheMachine)]
    const looks = names.map(async (name) => [name, await this.#rings(name)] as const)
    this.#ringing = new Map(await Promise.all(looks))
    await Promise.all(
      [...this.#ringing].map(async ([name, isRinging]) => await this.#changed(name, isRinging)),
    )
  }

  /** Whether each alarm rings, by name, as of the last minute, told or not. */
  get ringing(): ReadonlyMap<string, boolean> {
    return this.#ringing
  }

  async #rings(name: string): Promise<boolean> {
    const rule = alarms[name]
    return rule ? rings(rule, this.#minutes) : ((await this.#ofTheMachine[name]?.()) ?? false)
  }

  async #changed(name: string, isRinging: boolean): Promise<void> {
    if (isRinging === this.#told.has(name)) return
    try {
      await this.#tell({ name, isOver: !isRinging })
      if (isRinging) this.#told.add(name)
      else this.#told.delete(name)
    } catch (error) {
      log.error({ error, name }, "an alert could not be told")
    }
  }
}

/** Whether a rule is broken by so many of the last minutes, or by the last hour. */
function rings(rule: Rule, minutes: Minutes[]): boolean {
  const [least, of] = rule.minutes
  const looked = rule.hourly ? [together(minutes.slice(-60))] : minutes.slice(-of)
  return looked.filter((minute) => isBroken(rule, minute)).length >= least
}

/** What was not measured breaks no rule. */
function isBroken(rule: Rule, minute: Minutes): boolean {
  const value = rule.to ? partOf(rule, rule.to, minute) : valueOf(rule, rule.of, minute)
  if (value === undefined) return false
  return rule.above === undefined ? value < (rule.below ?? -Infinity) : value > rule.above
}

/**
 * The part of the whole. Where there is no whole, a part that is too large (`above`) is all of it, and one
 * that is too small lacks nothing.
 */
function partOf(rule: Rule, to: string, minute: Minutes): number | undefined {
  const part = valueOf(rule, rule.of, minute)
  const whole = valueOf(rule, to, minute)
  if (part === undefined || whole === undefined) return undefined
  if (whole > 0) return part / whole
  return rule.above === undefined || part > 0 ? 1 : 0
}

function valueOf({ stat }: Rule, name: string, minute: Minutes): number | undefined {
  const values = minute.get(name)
  if (!values) return undefined
  if (stat === "Maximum") return values.maximum
  return stat === "Sum" ? values.sum : values.sum / values.count
}

function together(minutes: Minutes[]): Minutes {
  const all = new Map<string, Minute>()
  for (const minute of minutes)
    for (const [name, { sum, count, maximum }] of minute) {
      const before = all.get(name) ?? { sum: 0, count: 0, maximum: -Infinity }
      all.set(name, {
        sum: before.sum + sum,
        count: before.count + count,
        maximum: Math.max(before.maximum, maximum),
      })
    }
  return all
}
