/** A place where operators find the variables of Latchkey. */
export interface VariablePlace {
  /** The file or folder, for the message. */
  name: string;
  /** The variables that it names, as `namesIn…` finds them. */
  names: readonly string[];
  /** Declared variables that this place leaves out, each with the reason. */
  leftOut?: Readonly<Record<string, string>>;
}

/** Variables that are fixed in a container, each with the reason. */
const fixedInContainers = {
  PORT: 'the image listens on one port, and the network maps it',
  HOST: 'the image listens on every address of its own network',
  METRICS_PORT: 'the scraper knows one port',
  ALLOW_ANONYMOUS_VIEWERS: 'production refuses it',
};

/** Which some installations with a custodian of the master key need in addition. */
const furtherOfCustodians = explain(
  'an overlay sets it where the custodian needs it: docs/operate/custody.md',
  [
    ...['MASTER_KEY_PROVIDER_V2', 'PKCS11_KEY_LABEL_V2', 'AWS_KMS_KEY_ID_V2', 'AWS_KMS_ENDPOINT'],
    ...['VAULT_NAMESPACE', 'VAULT_CACERT', 'VAULT_TOKEN', 'VAULT_TRANSIT_MOUNT', 'VAULT_TRANSIT_KEY_V2'],
  ],
);

/** In a file of the operator's own, which also takes the master key away: docs/operate/custody.md. */
const ofCustodians = {
  ...furtherOfCustodians,
  ...explain('the master key is in the environment there: docs/operate/custody.md', [
    ...['MASTER_KEY_PROVIDER', 'PKCS11_MODULE', 'PKCS11_TOKEN_LABEL', 'PKCS11_PIN', 'PKCS11_KEY_LABEL'],
    ...['AWS_KMS_KEY_ID', 'VAULT_ADDR', 'VAULT_ROLE_ID', 'VAULT_SECRET_ID', 'VAULT_TRANSIT_KEY'],
  ]),
};

function explain(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const fileOfOperator = 'the file comes from a volume of the operator: docs/operate/tls.md';
/** Variables of files that an operator mounts, and variables that belong to them. */
const ofOperator = {
  DATABASE_POOL_MODE: 'its default notices a pooler',
  NATS_CREDENTIALS: 'the NATS there has no users: docs/operate/tls.md',
  NATS_NKEY: 'the NATS there has no users: docs/operate/tls.md',
  ...filesFor('DATABASE', 'REDIS', 'NATS'),
};

function filesFor(...names: string[]): Record<string, string> {
  const variables = names.flatMap((name) => ['CA', 'CERT', 'KEY'].map((kind) => `${name}_${kind}_FILE`));
  return Object.fromEntries(variables.map((name) => [name, fileOfOperator]));
}

export const leftOutOfCompose = {
  ...fixedInContainers,
  ...ofOperator,
  ...ofCustodians,
  ...filesFor('INTERNAL_TLS'),
  SQLITE_PATH: 'the image names its volume',
};

export const leftOutOfKubernetes = {
  ...fixedInContainers,
  ...ofOperator,
  ...furtherOfCustodians,
  OTEL_SERVICE_NAME: 'each process has its own name',
};

/** The variables in the first column of the tables of a document. */
export function namesInTables(text: string): string[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []);
}

/** The variables that `compose.yaml` passes on, apart from the variables of the Postgres image and of the SDK of AWS. */
export function namesInCompose(text: string): string[] {
  return namesOf(text, /^ +([A-Z][A-Z0-9_]+):/gm);
}

/** Variables that name a file of another form than a value. */
const filesByThemselves = /^(DATABASE|REDIS|NATS|INTERNAL_TLS)_(CA|CERT|KEY)_FILE$/;

/** The variables that manifests and their `.env` files set. `X_FILE` counts as `X`, unless it is a variable itself. */
export function namesInManifests(text: string): string[] {
  const names = namesOf(text, /(?:^|^ *- |\bname: )([A-Z][A-Z0-9_]+)(?:=|[,\n])/gm);
  return [
    ...new Set(names.map((name) => (filesByThemselves.test(name) ? name : name.replace(/_FILE$/, '')))),
  ];
}

function namesOf(text: string, form: RegExp): string[] {
  const names = [...text.matchAll(form)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !/^(POSTGRES_|PGDATA$|AWS_REGION$)/.test(name));
}

/**
 * Compares the variables of places with the variables that the code declares. Returns a sentence for each difference.
 *
 * @param declared names as the configuration describes them. A family is a list with commas, and its first name counts
 */
export function findUnevenVariables(declared: readonly string[], places: readonly VariablePlace[]): string[] {
  const known = new Set(declared.map((name) => name.split(',')[0] ?? name));
  return places.flatMap(({ name: place, names, leftOut = {} }) => [
    ...[...known]
      .filter((name) => !names.includes(name) && !(name in leftOut))
      .map((name) => `${place} does not name ${name}, which shared/src/config/variables declares`),
    ...names
      .filter((name) => !known.has(name))
      .map((name) => `${place} names ${name}, which shared/src/config/variables does not declare`),
    ...Object.keys(leftOut)
      .filter((name) => names.includes(name))
      .map((name) => `${place} names ${name}: remove it from the list of variables that are left out there`),
  ]);
}
