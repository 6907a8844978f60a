/** Imported before anything that reads the environment: table names that no process knows unless it is told. */
for (const name of ["ACCOUNTS", "LEASES", "SESSIONS", "EVENTS", "REQUESTS"])
  process.env[`${name}_TABLE`] = `told-${name.toLowerCase()}`
