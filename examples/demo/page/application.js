// The calls of the page to its own server. An application around a player needs such calls of its own.

/** @returns {Promise<{keyServer: string, seconds: number, periodSeconds: number, presentations: object[]}>} */
export async function loadConfig() {
  const response = await fetch('/demo/config');
  if (!response.ok) throw new Error(`The page’s server answered ${response.status}.`);
  return response.json();
}

/** A viewer's token for one presentation. @returns {Promise<{token: string, expiresInSeconds: number}>} */
export async function issueToken(presentation) {
  return act('/demo/token', { presentation });
}

/** Revokes a lease, as an operator would. @returns {Promise<{revoked: number, leases: object[]}>} */
export async function revokeLease(leaseId) {
  return act('/demo/revoke', { leaseId });
}

async function act(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The page’s server answered ${response.status}.`);
  return response.json();
}
