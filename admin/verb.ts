/** One command of an operator. Its result is printed: as one line per row, or all of it as JSON. */
export interface Verb {
  /** Its arguments as the help shows them: `<name>` is required, `[name]` is not. */
  takes: string
  says: string
  run: (args: string[]) => Promise<Row[]>
}

export type Row = Record<string, string | number>

/** The operator asked for something that cannot be done; the message says why. */
export class Refused extends Error {}

/** The argument at this position. @throws Refused when it is missing. */
export function argument(args: string[], place: number, name: string): string {
  const value = args[place]
  if (!value) throw new Refused(`<${name}> is missing`)
  return value
}
