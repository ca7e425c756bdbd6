import { connect } from 'node:net';

/** A key request with a viewer's token and lease. */
export interface LeasedRequest {
  contentId: string;
  token: string;
  leaseId: string;
}

/**
 * Sends key requests in one write on one connection, so that the server reads them at once however slow this machine is
 * (RFC 9112 section 9.3.2).
 *
 * @returns status and code of each, such as `200` or `403 LEASE_REVOKED`
 */
export async function askForKeysAtOnce(url: string, requests: readonly LeasedRequest[]): Promise<string[]> {
  const { hostname, port, host } = new URL(url);
  const texts = requests.map(
    ({ contentId, token, leaseId }) =>
      `GET /keys/${contentId} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\nx-lease-id: ${leaseId}\r\n\r\n`,
  );
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(texts.join(''));
  let received = '';
  const answers: string[] = [];
  for await (const chunk of socket) {
    received += (chunk as Buffer).toString('latin1');
    for (let answer = takeAnswer(); answer !== null; answer = takeAnswer()) answers.push(answer);
    if (answers.length === requests.length) break;
  }
  socket.destroy();
  return answers;

  function takeAnswer(): string | null {
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return null;
    const head = received.slice(0, headEnd);
    const bodyEnd = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (received.length < bodyEnd) return null;
    const status = head.split(' ')[1] ?? '';
    const body = received.slice(headEnd + 4, bodyEnd);
    received = received.slice(bodyEnd);
    return status === '200' ? status : `${status} ${JSON.parse(body).code}`;
  }
}
