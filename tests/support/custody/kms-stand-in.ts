import { constants, createHmac, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { listen, type StandIn, type StandInAnswer } from './listen.ts';

/**
 * AWS KMS as the wire shows it (API version 2014-11-01, AWS JSON 1.1): `GenerateMac`, `DescribeKey`, and the two calls of an import.
 * It checks that requests are signed (Signature Version 4) for the service and the region, and not that the signature is right.
 */
export interface KmsStandIn extends StandIn {
  keyId: string;
  /** How often `GenerateMac` was called. */
  calls(): number;
  /** Sets the answer to every call from now on; null: as KMS answers. */
  fail(how: KmsFailure | null): void;
  /** The environment of a process that uses it. */
  env: Readonly<Record<string, string>>;
}

type KmsFailure = { code: string; status: number } | 'silence' | { mac: Buffer };

const region = 'eu-central-1';
const accessKeyId = 'AKIDSTANDIN';
const keyId = '1234abcd-12ab-34cd-56ef-1234567890ab';
/** A KMS of AWS wraps with 2,048, 3,072 or 4,096 bits. */
const wrappingBits = 2_048;

/** The state that the test changes while it runs. */
interface KmsState {
  key: Buffer | null;
  failure: KmsFailure | null;
  calls: number;
}

type Operation = (input: Record<string, string>) => StandInAnswer;

function describeOperations(state: KmsState): Record<string, Operation> {
  let wrapping: { publicKey: KeyObject; privateKey: KeyObject } | null = null;
  return {
    GenerateMac({ Message = '', MacAlgorithm }) {
      if (!state.key) return refuse('KMSInvalidStateException', `${keyId} is pending import.`);
      if (MacAlgorithm !== 'HMAC_SHA_256') return refuse('InvalidKeyUsageException', 'wrong algorithm');
      const { failure } = state;
      const mac =
        typeof failure === 'object' && failure && 'mac' in failure
          ? failure.mac
          : createHmac('sha256', state.key).update(Buffer.from(Message, 'base64')).digest();
      return ok({ Mac: mac.toString('base64'), MacAlgorithm, KeyId: `arn:aws:kms:${region}:1:key/${keyId}` });
    },
    DescribeKey: () =>
      ok({
        KeyMetadata: {
          KeyId: keyId,
          KeySpec: 'HMAC_256',
          KeyUsage: 'GENERATE_VERIFY_MAC',
          Origin: 'EXTERNAL',
          KeyState: state.key ? 'Enabled' : 'PendingImport',
        },
      }),
    GetParametersForImport() {
      wrapping ??= generateKeyPairSync('rsa', { modulusLength: wrappingBits });
      const publicKey = wrapping.publicKey.export({ type: 'spki', format: 'der' });
      return ok({
        KeyId: keyId,
        PublicKey: publicKey.toString('base64'),
        ImportToken: Buffer.from('token').toString('base64'),
      });
    },
    ImportKeyMaterial({ EncryptedKeyMaterial = '', ImportToken = '', ExpirationModel }) {
      if (!wrapping || Buffer.from(ImportToken, 'base64').toString() !== 'token')
        return refuse('InvalidImportTokenException', 'wrong token');
      if (ExpirationModel !== 'KEY_MATERIAL_DOES_NOT_EXPIRE')
        return refuse('ValidationException', 'it expires');
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const oaep = { key: wrapping.privateKey, padding, oaepHash: 'sha256' };
      state.key = privateDecrypt(oaep, Buffer.from(EncryptedKeyMaterial, 'base64'));
      return ok({});
    },
  };
}

/** @param key the material of the key; null for one that is PendingImport */
export async function startKmsStandIn(key: Buffer | null): Promise<KmsStandIn> {
  const state: KmsState = { key, failure: null, calls: 0 };
  const operations = describeOperations(state);
  const standIn = await listen((request, body) => {
    const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
    if (operation === 'GenerateMac') state.calls++;
    const { failure } = state;
    if (failure === 'silence') return null;
    if (failure && 'code' in failure) return refuse(failure.code, 'as the test asks', failure.status);
    if (!isSigned(request))
      return refuse('IncompleteSignatureException', 'The request is not signed for KMS.');
    const run = service === 'TrentService' ? operations[operation] : undefined;
    if (!run) return refuse('UnknownOperationException', operation);
    const input = JSON.parse(body) as Record<string, string>;
    if (input.KeyId !== keyId) return refuse('NotFoundException', `Key '${input.KeyId}' does not exist`);
    return run(input);
  });
  return {
    ...standIn,
    keyId,
    calls: () => state.calls,
    fail: (how) => {
      state.failure = how;
    },
    env: {
      MASTER_KEY_PROVIDER: 'aws-kms',
      AWS_KMS_KEY_ID: keyId,
      AWS_KMS_ENDPOINT: standIn.url,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'the secret of the stand-in',
    },
  };
}

function isSigned({ headers }: IncomingMessage): boolean {
  const scope = `Credential=${accessKeyId}/[0-9]{8}/${region}/kms/aws4_request`;
  const pattern = `^AWS4-HMAC-SHA256 ${scope}, SignedHeaders=[^,]*host[^,]*, Signature=[0-9a-f]{64}$`;
  return new RegExp(pattern).test(headers.authorization ?? '');
}

const headers = { 'content-type': 'application/x-amz-json-1.1' };
const ok = (json: unknown): StandInAnswer => ({ status: 200, json, headers });
const refuse = (code: string, message: string, status = 400): StandInAnswer => ({
  status,
  json: { __type: code, message },
  headers,
});
