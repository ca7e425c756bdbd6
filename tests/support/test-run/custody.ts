// `npm test -- custody`: the black-box tests on single nodes whose master key another system holds.
import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPkcs11 } from '../build-pkcs11.ts';
import { startKmsStandIn } from '../custody/kms-stand-in.ts';
import { createSoftToken } from '../custody/soft-token.ts';
import { startVaultStandIn } from '../custody/vault-stand-in.ts';
import { runCli } from '../processes/run-cli.ts';
import type { Environment } from '../processes/spawn-entry.ts';
import { provideTool } from '../provide-tool.ts';
import { readFlags } from '../read-flags.ts';
import { listBlackBoxTests } from './black-box-tests.ts';
import { selectTests } from './programs.ts';
import { runTests } from './run-tests.ts';

const usage = `npm test -- custody: the black-box tests on single nodes whose master key another system holds

  npm test -- custody                           on a token of SoftHSM
  npm test -- custody --provider aws-kms        at a stand-in for AWS KMS
  npm test -- custody --provider vault-transit  at a stand-in for Vault
  npm test -- custody FILE…                     these files of tests alone

Ends with: N passed, N failed, N skipped. Exits 0 if nothing failed.
`;
const { values: flags, positionals } = readFlags(usage, {
  options: { provider: { type: 'string', default: 'pkcs11' } },
  allowPositionals: true,
});

/** The master key and the salt of docs/reference/contract.md#derivation: 32 bytes that rise from 0, and 32 from 32. */
const bytesFrom = (first: number) => Buffer.from(Array.from({ length: 32 }, (_, n) => first + n));
const [masterKey, salt] = [bytesFrom(0), bytesFrom(32)];
/** HKDF-Extract (RFC 5869 section 2.2). */
const extractedKey = createHmac('sha256', salt).update(masterKey).digest();

/** It gives its server the master key itself, in a file. */
const ownMasterKey = 'tests/api/rotation.test.ts';

interface Holder {
  env: Environment;
  close(): Promise<void> | void;
}

const holders: Record<string, () => Promise<Holder>> = {
  'aws-kms': () => startKmsStandIn(extractedKey),
  'vault-transit': () => startVaultStandIn(extractedKey),
  async pkcs11() {
    const util = provideTool('softhsm');
    if (!util) throw new Error('this needs softhsm2-util');
    buildPkcs11();
    const token = createSoftToken(util, join(mkdtempSync(join(tmpdir(), 'latchkey-token-')), 'hsm'));
    const key = { MASTER_KEY_HEX: masterKey.toString('hex'), SALT_HEX: salt.toString('hex') };
    await runCli(['master-key', 'import'], { ...token.env, ...key });
    return { env: token.env, close: token.remove };
  },
};

const open = holders[flags.provider];
if (!open) {
  process.stderr.write(`--provider ${flags.provider}: accepted are ${Object.keys(holders).join(', ')}\n`);
  process.exit(2);
}
let code = 1;
try {
  const holder = await open();
  const blackBox = listBlackBoxTests({ ownSettings: true }).filter((file) => file !== ownMasterKey);
  const tests = positionals.length > 0 ? positionals : blackBox;
  try {
    code = await runTests(selectTests(tests), { ...process.env, TEST_CUSTODY: JSON.stringify(holder.env) });
  } finally {
    await holder.close();
  }
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n0 passed, 1 failed\n`);
}
process.exit(code);
