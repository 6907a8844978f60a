/** Container definitions with the settings that ECS has and SST cannot express. */
export function hardened(definitions: object[], about: { port: number; mountPoints: object[] }) {
  return JSON.stringify(
    definitions.map((definition) => ({
      ...definition,
      user: "node",
      readonlyRootFilesystem: true,
      mountPoints: about.mountPoints,
      // From SIGTERM to SIGKILL; the most that Fargate gives. Sends end within 10 s, then leases are given
      // back.
      stopTimeout: 120,
      // Written in full, as ECS gives it back: any difference would be a new task definition at every deploy.
      portMappings: [{ containerPort: about.port, hostPort: about.port, protocol: "tcp" }],
      pseudoTerminal: false,
    })),
  )
}
