/** One thing an operator may ask for. What it returns is printed: rows as lines, or all of it as JSON. */
export interface Verb {
  /** Its arguments, as the help shows them: `<name>` is required, `[name]` is not. */
  takes: string
  says: string
  run: (args: string[]) => Promise<Row[]>
}

export type Row = Record<string, string | number>

/** The operator asked for something that cannot be done; this sentence says why. */
export class Refused extends Error {}

/** The argument at this place. @throws Refused when it is missing. */
export function argument(args: string[], place: number, name: string): string {
  const value = args[place]
  if (!value) throw new Refused(`<${name}> is missing`)
  return value
}
