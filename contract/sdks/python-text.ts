// How things are written in Python.

/** The first line of each module. */
export const head = "# Generated from the contract by `npm run clients:generate`. Do not edit.\n"

export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The words of the language, of which none can be a name. */
export const keywords =
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  )

/** A field's name. A word of the language gets the underscore that Python's own libraries give it. */
export function nameOf(field: string): string {
  return keywords.includes(field) ? `${field}_` : field
}

export function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False"
  return JSON.stringify(value)
}

/** A docstring. */
export function doc(text: string, indent = ""): string {
  const safe = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""').replace(/"$/, '\\"')
  const lines = safe.split("\n").map((line, n) => (n > 0 && line ? indent + line : line))
  return `"""${lines.join("\n")}${lines.length > 1 ? `\n${indent}` : ""}"""`
}
