import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const base64 = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

/** A JWT as `nsc` makes them: https://docs.nats.io/running-a-nats-service/nats_admin/security/jwt */
function sign(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const claims = {
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name,
    sub: subject.getPublicKey(),
    nats,
  };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('base64url');
  const head = base64(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const text = `${head}.${base64(JSON.stringify({ jti, ...claims }))}`;
  return `${text}.${base64(issuer.sign(new TextEncoder().encode(text)))}`;
}

/** An operator with one account and one user: the settings of a server, and the credentials file of the user. */
export function makeNatsOperator(): { lines: string[]; credentials: string } {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const system = nkeys.createAccount();
  const user = nkeys.createUser();
  const all = { subs: -1, data: -1, payload: -1 };
  const limits = {
    ...all,
    ...{ imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
    ...{ mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
  };
  const operatorJwt = sign(operator, operator, 'operator', { type: 'operator', version: 2 });
  const accountJwt = sign(operator, account, 'account', { limits, type: 'account', version: 2 });
  const systemLimits = { ...all, ...{ imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 } };
  const systemJwt = sign(operator, system, 'SYS', { limits: systemLimits, type: 'account', version: 2 });
  const userJwt = sign(account, user, 'user', { pub: {}, sub: {}, ...all, type: 'user', version: 2 });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    lines: [
      `operator: ${operatorJwt}`,
      'resolver: MEMORY',
      `system_account: ${system.getPublicKey()}`,
      `resolver_preload: { ${account.getPublicKey()}: ${accountJwt}, ${system.getPublicKey()}: ${systemJwt} }`,
    ],
    credentials: `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  };
}
