// Connections of the parts of a process: their name, and how many each may open of all that the process may (DATABASE_CONNECTIONS).

/** Application name of connections of running gateways; commands use other names. */
export const gatewayConnections = 'gateway hot';

export interface ConnectionShares {
  /** The session that shows that this process is alive. */
  session: 1;
  /** The delivery thread. */
  deliveries: number;
  /** Hot statements of requests and workers. */
  hot: number;
  /** All other statements of requests and workers. */
  general: number;
}

/** Shares `total` connections, at least 10; the shares add up to it. */
export function shareConnections(total: number): ConnectionShares {
  // the thread uses five in parallel: claim, successes, failures, releases, endpoints; the last two are rare
  const deliveries = total < 16 ? 2 : total < 30 ? 4 : 5;
  const left = total - 1 - deliveries;
  const general = Math.floor(left * 0.3);
  return { session: 1, deliveries, hot: left - general, general };
}
