/**
 * Media on their way from a session host to a customer. The network keeps them for longer than this bucket.
 */
export const media = new sst.aws.Bucket("Media", {
  // This is no more than cleaning up, since a day is the shortest that S3 knows. "From the cache for 3 hours"
  // is kept by the code that reads a file: it compares the file's age.
  lifecycle: [{ expiresIn: "1 day" }],
  transform: {
    lifecycle: (args) => {
      args.rules = $util.output(args.rules).apply((rules) => [
        ...(rules ?? []),
        // Uploads in parts that hosts began before they died.
        { id: "Unfinished", status: "Enabled", abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } },
      ])
    },
  },
  // Read by functions, never by browsers.
  cors: false,
})
