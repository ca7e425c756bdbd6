import { createRequire } from 'node:module';
import type * as pkcs11js from 'pkcs11js';
import { macBytes } from './key-custodian.ts';
import type { TokenPlace } from './pkcs11-messages.ts';

interface KeyPlace extends TokenPlace {
  keyLabel: string;
}

export class TokenFault extends Error {
  readonly kind: 'away' | 'refused';

  constructor(kind: TokenFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The tokens of one PKCS#11 library. Every call blocks. */
export interface Tokens {
  /** @throws TokenFault */
  mac(place: KeyPlace, message: Uint8Array): Buffer;
  /** @throws TokenFault */
  importKey(place: KeyPlace, extractedKey: Uint8Array): void;
}

/** PKCS #11 2.40 section 6.6: an operator must act. By name, as `pkcs11js` gives it. */
const refusals: Readonly<Record<string, string>> = {
  CKR_PIN_INCORRECT: 'the PIN is wrong',
  CKR_PIN_INVALID: 'the PIN has characters that the token does not take',
  CKR_PIN_LEN_RANGE: 'the PIN has a length that the token does not take',
  CKR_PIN_EXPIRED: 'the PIN has expired',
  CKR_PIN_LOCKED: 'the PIN is locked',
  CKR_USER_PIN_NOT_INITIALIZED: 'the token has no PIN yet',
  CKR_MECHANISM_INVALID: 'the token has no CKM_SHA256_HMAC',
  CKR_KEY_TYPE_INCONSISTENT: 'the key is of a type that cannot sign with CKM_SHA256_HMAC',
  CKR_KEY_FUNCTION_NOT_PERMITTED: 'the key may not sign: it lacks CKA_SIGN',
};
/** A session that has the user logged in already. */
const alreadyLoggedIn = 'CKR_USER_ALREADY_LOGGED_IN';
/** As many keys of one label as are looked for: two are too many. */
const foundMost = 2;

export function createTokens(modulePath: string): Tokens {
  let library: OpenLibrary | null = null;
  /** A token locks itself after some wrong PINs, so a wrong one is shown to it once in the life of a process. */
  const refusedPins = new Map<string, TokenFault>();
  let wasConnected = false;

  /** Runs the work with an open session, and forgets everything that is open if it fails: the next call opens it anew. */
  function withSession<T>(place: TokenPlace, work: (library: OpenLibrary, session: Session) => T): T {
    const pinName = `${place.tokenLabel}\n${place.pin}`;
    const refused = refusedPins.get(pinName);
    if (refused) throw refused;
    try {
      library ??= openLibrary(modulePath);
      const result = work(library, openSession(library, place, wasConnected));
      wasConnected = true;
      return result;
    } catch (error) {
      const fault = toFault(error, place);
      if (isPinFault(error)) refusedPins.set(pinName, fault);
      if (fault.kind === 'away' || isPinFault(error)) closeLibrary(library);
      if (fault.kind === 'away' || isPinFault(error)) library = null;
      throw fault;
    }
  }

  return {
    mac: (place, message) =>
      withSession(place, ({ api, constants }, session) => {
        const key = findKey(api, constants, session, place);
        api.C_SignInit(session.handle, { mechanism: constants.CKM_SHA256_HMAC }, key);
        const mac = api.C_Sign(session.handle, Buffer.from(message), Buffer.alloc(macBytes));
        if (mac.length === macBytes) return mac;
        throw new TokenFault(
          'refused',
          `the token gave ${mac.length} bytes and not the ${macBytes} of HMAC-SHA-256`,
        );
      }),
    importKey(place, extractedKey) {
      withSession(place, ({ api, constants }, session) => {
        if (searchKeys(api, constants, session, place.keyLabel).length > 0)
          throw new TokenFault(
            'refused',
            `the token ${place.tokenLabel} has a key ${place.keyLabel} already`,
          );
        api.C_CreateObject(session.handle, templateOf(constants, place.keyLabel, Buffer.from(extractedKey)));
      });
    },
  };
}

type Api = pkcs11js.PKCS11;
type Constants = typeof pkcs11js;

interface OpenLibrary {
  api: Api;
  constants: Constants;
  /** By the label of the token. */
  sessions: Map<string, Session>;
}

interface Session {
  handle: Buffer;
  /** Handles of keys by their labels. */
  keys: Map<string, Buffer>;
}

/** @throws TokenFault naming what to install or to set */
function openLibrary(modulePath: string): OpenLibrary {
  const constants = loadPackage();
  const api = new constants.PKCS11();
  try {
    api.load(modulePath);
  } catch (error) {
    throw new TokenFault(
      'refused',
      `PKCS11_MODULE is ${modulePath}, which cannot be loaded: ${describe(error)}`,
    );
  }
  api.C_Initialize({ flags: constants.CKF_OS_LOCKING_OK });
  return { api, constants, sessions: new Map() };
}

/** Only where a token is configured: it is a native module, which is built by those who need it. */
function loadPackage(): Constants {
  try {
    return createRequire(import.meta.url)('pkcs11js');
  } catch {
    throw new TokenFault(
      'refused',
      'MASTER_KEY_PROVIDER=pkcs11 needs the package pkcs11js, which is not built here. Run: npx node-gyp@13 rebuild --directory services/key-derivation/node_modules/pkcs11js',
    );
  }
}

function closeLibrary(library: OpenLibrary | null): void {
  try {
    library?.api.C_Finalize();
    library?.api.close();
  } catch {
    // It may be in any state: what counts is that the next call begins anew.
  }
}

function openSession(library: OpenLibrary, { tokenLabel, pin }: TokenPlace, wasConnected: boolean): Session {
  const known = library.sessions.get(tokenLabel);
  if (known) return known;
  const { api, constants } = library;
  const slot = findSlot(api, tokenLabel, wasConnected);
  const handle = api.C_OpenSession(slot, constants.CKF_SERIAL_SESSION | constants.CKF_RW_SESSION);
  try {
    api.C_Login(handle, constants.CKU_USER, pin);
  } catch (error) {
    if (!describe(error).includes(alreadyLoggedIn)) throw error;
  }
  const session = { handle, keys: new Map() };
  library.sessions.set(tokenLabel, session);
  return session;
}

/** A token that was there and is gone comes back; one that never was there has another label. */
function findSlot(api: Api, tokenLabel: string, wasConnected: boolean): Buffer {
  const labels: string[] = [];
  for (const slot of api.C_GetSlotList(true)) {
    // Labels are padded with blanks to 32 characters (PKCS #11 2.40 section 3.2, CK_TOKEN_INFO).
    const label = api.C_GetTokenInfo(slot).label.trimEnd();
    if (label === tokenLabel) return slot;
    if (label !== '') labels.push(label);
  }
  const found = labels.length > 0 ? `there are: ${labels.join(', ')}` : 'there is no token at all';
  throw new TokenFault(
    wasConnected ? 'away' : 'refused',
    `PKCS11_TOKEN_LABEL is ${tokenLabel}, and no token has that label; ${found}`,
  );
}

function searchKeys(api: Api, constants: Constants, session: Session, keyLabel: string): Buffer[] {
  api.C_FindObjectsInit(session.handle, [
    { type: constants.CKA_CLASS, value: constants.CKO_SECRET_KEY },
    { type: constants.CKA_LABEL, value: keyLabel },
  ]);
  try {
    return api.C_FindObjects(session.handle, foundMost);
  } finally {
    api.C_FindObjectsFinal(session.handle);
  }
}

function findKey(
  api: Api,
  constants: Constants,
  session: Session,
  { tokenLabel, keyLabel }: KeyPlace,
): Buffer {
  const known = session.keys.get(keyLabel);
  if (known) return known;
  const [key, second] = searchKeys(api, constants, session, keyLabel);
  if (!key) {
    throw new TokenFault(
      'refused',
      `PKCS11_KEY_LABEL is ${keyLabel}, and the token ${tokenLabel} has no secret key of that label`,
    );
  }
  if (second) throw new TokenFault('refused', `the token ${tokenLabel} has several keys ${keyLabel}`);
  session.keys.set(keyLabel, key);
  return key;
}

/** A key that signs and can neither be read nor leave the token. */
function templateOf(constants: Constants, label: string, value: Buffer): pkcs11js.Template {
  return [
    { type: constants.CKA_CLASS, value: constants.CKO_SECRET_KEY },
    { type: constants.CKA_KEY_TYPE, value: constants.CKK_GENERIC_SECRET },
    { type: constants.CKA_LABEL, value: label },
    { type: constants.CKA_TOKEN, value: true },
    { type: constants.CKA_PRIVATE, value: true },
    { type: constants.CKA_SENSITIVE, value: true },
    { type: constants.CKA_EXTRACTABLE, value: false },
    { type: constants.CKA_SIGN, value: true },
    { type: constants.CKA_VALUE, value },
  ];
}

function isPinFault(error: unknown): boolean {
  return /CKR_(PIN_|USER_PIN)/.test(describe(error));
}

function toFault(error: unknown, { tokenLabel }: TokenPlace): TokenFault {
  if (error instanceof TokenFault) return error;
  const name = describe(error);
  const refusal = refusals[name];
  if (refusal) return new TokenFault('refused', `the token ${tokenLabel}: ${refusal} (${name})`);
  return new TokenFault('away', `the token ${tokenLabel} did not answer (${name})`);
}

/** `pkcs11js` puts the name of the code into the message. */
function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
