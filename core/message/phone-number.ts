/** Whether two spellings are of one number, in digits. */
export function isSameNumber(one: string, other: string): boolean {
  return spelled(one) === spelled(other)
}

/**
 * Mobile numbers of three countries have a digit after the country's code that people write, and that the
 * network leaves out of some addresses: Brazil's ninth digit, Mexico's 1, Argentina's 9.
 */
function spelled(digits: string): string {
  return digits
    .replace(/^(55\d{2})9(\d{8})$/, "$1$2")
    .replace(/^521(\d{10})$/, "52$1")
    .replace(/^549(\d{10})$/, "54$1")
}
