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
