/**
 * Imported before anything that reads the environment: on a loaded machine, a host must not mistrust its
 * leases.
 */
process.env.LEASE_BEAT_MS = "2000"
