/** A row that no table would take. Nothing was made of its unit; the session goes on. */
export class TooLarge extends Error {
  override name = "TooLarge"
}
