/**
 * The expression by which CloudWatch compares `part` with `whole`. Code that measures one of them measures the other with it,
 * also where it is none: a metric without any data makes the expression have none, and its alarm silent.
 *
 * Where there is no whole, a part that is too large (`above`) is all of it, as an event that was given up without an attempt;
 * and one that is too small (`below`) lacks nothing.
 */
export function partOfWhole({ above }: { above?: number }): string {
  const ofNothing = above === undefined ? "1" : "IF(part > 0, 1, 0)"
  return `IF(whole > 0, part / whole, ${ofNothing})`
}
