import type { Backing } from './backing.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import {
  type BackingName,
  backingsOf,
  backingUrls,
  neighboursOf,
  type ServiceName,
  secrets,
  urlVariables,
} from './topology.ts';

/** The network between the processes, every stretch of which can be cut or made slow. */
export interface Network {
  /** From each process to each that it calls, by their names: `leases-1 postgres`, `keys-1 leases-1`. Empty where nothing is breakable. */
  links: ReadonlyMap<string, TcpProxy>;
  /** The variables of one process: its secrets, and where it finds what it asks. */
  environmentOf(service: ServiceName, name: string): Promise<Record<string, string>>;
}

/**
 * @param common variables of every process
 * @param ports where the processes of each service listen, in order
 * @param isBreakable whether this process carries the traffic, so that it can break it. On a machine that is short of processor time
 *   it would be the slowest part of the whole, and the measured one
 */
export function createNetwork(
  common: Readonly<Record<string, string>>,
  ports: Readonly<Record<ServiceName, number[]>>,
  backings: Readonly<Record<BackingName, Backing>>,
  isBreakable: boolean,
): Network {
  const links = new Map<string, TcpProxy>();
  const link = async (name: string, port: number) => {
    if (!isBreakable) return port;
    const proxy = await startTcpProxy(port);
    links.set(name, proxy);
    return proxy.port;
  };
  return {
    links,
    async environmentOf(service, name) {
      const env: Record<string, string> = { ...common, ...secrets[service] };
      for (const backing of backingsOf[service]) {
        const [variable, url] = backingUrls[backing](
          await link(`${name} ${backing}`, backings[backing].port),
        );
        env[variable] = url;
      }
      for (const neighbour of neighboursOf[service]) {
        const urls: string[] = [];
        for (const [index, port] of ports[neighbour].entries())
          urls.push(`http://127.0.0.1:${await link(`${name} ${neighbour}-${index + 1}`, port)}`);
        env[urlVariables[neighbour]] = urls.join(',');
      }
      return env;
    },
  };
}
