/** Which process wrote a line. In every line of both logs. */
export interface ProcessIdentity {
  /** Such as `gateway`, `leases` or `single-node`. */
  service: string;
  /** The release. */
  version: string;
  /** Differs between processes that run at the same time: the name of the machine or container, and the process id. */
  instance: string;
}

/** Names have 253 characters at most (RFC 1035); more than this would only make each line longer. */
const longestHost = 63;

/**
 * @param host `os.hostname()`: in a container its id, on Kubernetes the name of the pod
 * @param pid of the process: several processes of one machine differ by it
 */
export function identifyProcess(
  service: string,
  version: string,
  { host, pid }: { host: string; pid: number },
): ProcessIdentity {
  return { service, version, instance: `${host.slice(0, longestHost)}-${pid}` };
}
