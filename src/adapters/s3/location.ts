// The address of a bucket and its parser. Pure.

export interface S3Location {
  bucket: string;
  /** Empty, or ends in `/`. */
  prefix: string;
  region?: string;
  /** The server; default: AWS. */
  endpoint?: string;
}

/** `s3://bucket/prefix?region=…&endpoint=…`; throws an Error that says what to fix. */
export function parseS3Address(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '') {
    throw new Error('The address of an S3 bucket must be s3://bucket/prefix?region=…&endpoint=….');
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const known = new Set(['region', 'endpoint']);
  for (const name of url.searchParams.keys()) {
    if (!known.has(name)) throw new Error(`The address of the S3 bucket has no setting "${name}".`);
  }
  const region = url.searchParams.get('region') ?? undefined;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint)) {
    throw new Error("The S3 bucket's endpoint must begin with https:// or http://.");
  }
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    // other servers mostly ignore the region, but every signature needs one
    ...(region ? { region } : endpoint ? { region: 'us-east-1' } : {}),
    ...(endpoint ? { endpoint } : {}),
  };
}
