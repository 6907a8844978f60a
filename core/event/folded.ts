/** Letters of other alphabets that look like Latin ones, in the order of these. */
const [lookAlikes, latin] = ["аеорсухіјѕԁһԛԝтмнвкαορνικτυχ", "aeopcyxijsdhqwtmhbkaopviktux"]
const latinOf = new Map(Array.from(lookAlikes, (letter, i) => [letter, latin[i]!]))
const anyLookAlike = new RegExp(`[${lookAlikes}]`, "g")
/** What takes no room of its own: accents, variants of emoji, marks of direction, joiners. */
const withoutRoom = /[\p{M}\p{Cf}]+/gu

/**
 * A text as it is searched for: without case, accents, marks of direction, variants of a letter's form, and
 * with letters that look alike as one. In one line.
 */
export function folded(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(withoutRoom, "")
    .replaceAll(anyLookAlike, (letter) => latinOf.get(letter)!)
    .replaceAll(/\s+/g, " ")
    .trim()
}

/** Every text in a value, as it is searched in; names of fields do not count. */
export function wordsIn(value: unknown): string {
  const found = new Set<string>()
  const collect = (one: unknown) => {
    if (typeof one === "string" && one !== "") found.add(one)
    if (typeof one === "object" && one !== null) for (const part of Object.values(one)) collect(part)
  }
  collect(value)
  return folded([...found].join(" ¦ "))
}

/** Whether one of these folded texts stands in a value. */
export function hasWords(value: unknown, texts: string[]): boolean {
  const words = wordsIn(value)
  return texts.some((text) => words.includes(text))
}
