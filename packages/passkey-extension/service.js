// The address of the one service whose requests are shown, and to which the answers go. A service that offers
// this extension for download puts its own address here.
// oxlint-disable-next-line no-unused-vars -- passkey.js reads it
const service = "http://localhost:8787"
