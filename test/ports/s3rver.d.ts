// Types of the third-party S3 server, as far as the tests use it.
declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: Record<string, unknown>);
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<unknown>;
  }
}
