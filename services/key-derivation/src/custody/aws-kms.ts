import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import type * as kms from '@aws-sdk/client-kms';
import type { CustodianSettings } from '@latchkey/shared/config';
import { CustodianFault, macBytes, type Provider } from './key-custodian.ts';

type AwsKmsSettings = Extract<CustodianSettings, { provider: 'aws-kms' }>;

const packageName = '@aws-sdk/client-kms';
/** A VPC endpoint answers a connection within some milliseconds. A call has 2 s in all. */
const connectionLimitMs = 1_000;
/** As many as there are calls at once. */
const connectionsMost = 32;

/** Custodians on HMAC keys of AWS KMS (API version 2014-11-01, `GenerateMac`). Custodians of one endpoint share its connections. */
export async function openAwsKms(): Promise<Provider<AwsKmsSettings>> {
  const { KMSClient, ...commands } = await load();
  const clients = new Map<string | undefined, kms.KMSClient>();

  function clientOf(endpoint: string | undefined): kms.KMSClient {
    const known = clients.get(endpoint);
    if (known) return known;
    const client = new KMSClient({
      ...(endpoint !== undefined && { endpoint }),
      // The caller pauses between tries, and leaves a provider alone that fails again and again.
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: connectionLimitMs,
        httpsAgent: { maxSockets: connectionsMost },
        httpAgent: { maxSockets: connectionsMost },
      },
    });
    clients.set(endpoint, client);
    return client;
  }

  return {
    open({ keyId, endpoint }) {
      const client = clientOf(endpoint);
      return {
        async mac(message, signal) {
          const command = new commands.GenerateMacCommand({
            KeyId: keyId,
            MacAlgorithm: 'HMAC_SHA_256',
            Message: message,
          });
          const { Mac } = await explaining(signal, client.send(command, { abortSignal: signal }));
          if (Mac?.length !== macBytes)
            throw new CustodianFault('refused', `KMS gave ${Mac?.length ?? 0} bytes`);
          return Buffer.from(Mac);
        },
        close: async () => {},
      };
    },
    importKey: ({ keyId, endpoint }, extractedKey) =>
      explaining(null, importInto(clientOf(endpoint), commands, keyId, extractedKey)),
    async close() {
      for (const client of clients.values()) client.destroy();
      clients.clear();
    },
  };
}

async function load(): Promise<typeof kms> {
  try {
    return await import('@aws-sdk/client-kms');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new CustodianFault(
      'refused',
      `MASTER_KEY_PROVIDER is aws-kms, which needs the package ${packageName}: npm install ${packageName}`,
      { cause },
    );
  }
}

/**
 * The key material goes encrypted under a key of KMS that is made for this import (AWS KMS Developer Guide, "Importing key material").
 *
 * @param extractedKey 32 bytes, as HMAC_256 demands
 */
async function importInto(
  client: kms.KMSClient,
  commands: Omit<typeof kms, 'KMSClient'>,
  KeyId: string,
  extractedKey: Buffer,
): Promise<void> {
  const { KeyMetadata: key } = await client.send(new commands.DescribeKeyCommand({ KeyId }));
  if (key?.KeySpec !== 'HMAC_256' || key.Origin !== 'EXTERNAL')
    throw new CustodianFault(
      'refused',
      `AWS_KMS_KEY_ID is ${KeyId}, a key of spec ${key?.KeySpec} and origin ${key?.Origin}; accepted: HMAC_256 and EXTERNAL`,
    );
  if (key.KeyState !== 'PendingImport')
    throw new CustodianFault(
      'refused',
      `${KeyId} is ${key.KeyState}: only a key that is PendingImport has no material yet`,
    );
  const id = key.KeyId ?? KeyId;
  const { PublicKey, ImportToken } = await client.send(
    new commands.GetParametersForImportCommand({
      KeyId: id,
      WrappingAlgorithm: 'RSAES_OAEP_SHA_256',
      WrappingKeySpec: 'RSA_4096',
    }),
  );
  const wrapping = createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' });
  const oaep = { key: wrapping, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  await client.send(
    new commands.ImportKeyMaterialCommand({
      KeyId: id,
      ImportToken,
      EncryptedKeyMaterial: publicEncrypt(oaep, extractedKey),
      ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
    }),
  );
}

/** By the name of the error, as the API and the SDK give it. Other errors of the client's side are refusals too. */
const kinds: Readonly<Record<string, CustodianFault['kind']>> = {
  ThrottlingException: 'throttled',
  LimitExceededException: 'throttled',
  TooManyRequestsException: 'throttled',
  RequestLimitExceeded: 'throttled',
  KMSInternalException: 'away',
  DependencyTimeoutException: 'away',
  KeyUnavailableException: 'away',
  CredentialsProviderError: 'refused',
  TokenProviderError: 'refused',
};

async function explaining<T>(signal: AbortSignal | null, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    signal?.throwIfAborted();
    throw toFault(error);
  }
}

/** The message of an error of KMS names keys and principals, and no secret. */
function toFault(error: unknown): CustodianFault {
  if (error instanceof CustodianFault) return error;
  const { name, message, $metadata } = error as kms.KMSServiceException;
  const status = $metadata?.httpStatusCode;
  const isClientSide = status !== undefined && status >= 400 && status < 500;
  const kind =
    kinds[name] ??
    (status === 429 ? 'throttled' : isClientSide || isUnconfigured(error) ? 'refused' : 'away');
  return new CustodianFault(kind, `KMS: ${name}: ${message}`, { cause: error });
}

/** Of the SDK, which then makes no call. */
function isUnconfigured(error: unknown): boolean {
  return error instanceof Error && /^Region is missing|Invalid region/.test(error.message);
}
