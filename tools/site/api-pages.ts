import type { Content, OpenApi, Operation, Schema } from '../open-api.ts';
import { anchorOf } from '../rules/heading-links.ts';

const resources = 'resources.md';
const refusalCodes = /^[A-Z_]+(?:, [A-Z_]+)*$/;
const intro = `Every request, from the \`/openapi.json\` of this version. Your server serves the same document to programs.
[The contract](../contract.md) has the rules, [error codes](../errors.md) why a request is refused, and
[the API in commands](../../start/http.md) examples. The bodies share [resources](${resources}).`;

/**
 * The API reference: Markdown by file name. It has a page for each tag of the document, an index, and a page of the schemas that have
 * a name. A theme for OpenAPI documents would bring 22 MB, and the search would not see the text of its components.
 */
export function renderApiPages({ paths, components }: OpenApi): Map<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const groups = [...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? 'other')].map(
    ([tag, members]) => ({ title: capitalize(tag), file: `${anchorOf(tag)}.md`, members }),
  );
  const contents = groups.flatMap(({ title, file, members }) => [
    `## ${title}`,
    table(
      ['request', 'what it does'],
      members.map(({ title: request, operation }) => [
        `[${request}](${file}#${anchorOf(request)})`,
        operation.summary,
      ]),
    ),
  ]);
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => [
    `## ${name}`,
    schema.description ?? '',
    schema.properties ? tableOf(schema) : typeOf(schema),
  ]);
  return new Map([
    ['index.md', join('# API', intro, ...contents)],
    ...groups.map(({ title, file, members }): [string, string] => [
      file,
      join(`# ${title}`, ...members.flatMap(renderOperation)),
    ]),
    [resources, join('# Resources', 'The records of the API, by name.', ...schemas)],
  ]);
}

function renderOperation({ title, operation }: { title: string; operation: Operation }): string[] {
  const {
    operationId,
    summary,
    description = '',
    security,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const parameterRows = parameters.map((each) => [
    nameOf(each.name, each.required),
    each.in,
    typeOf(each.schema),
    each.description ?? '',
  ]);
  const answers = Object.entries(responses);
  const answerRows = answers.map(([status, { description: text }]) => [status, meaningOf(text)]);
  const successes = answers.filter(([status]) => status.startsWith('2'));
  return [
    `## ${title}`,
    `**${summary}.**`,
    description,
    `${describeCredential(security)} Its \`operationId\` is \`${operationId}\`.`,
    parameters.length > 0 ? '**Parameters**' : '',
    table(['parameter', 'in', 'type', 'meaning'], parameterRows),
    ...renderBody(requestBody?.required ? 'Body' : 'Body (optional)', requestBody?.content),
    '**Answers**',
    table(['status', 'meaning'], answerRows),
    ...successes.flatMap(([status, { content }]) => renderBody(`Body of ${status}`, content)),
  ];
}

/** The roles of the document are scopes of API keys, and `viewer` for a viewer's token. */
function describeCredential(security: Operation['security']): string {
  if (!security) return 'Needs no credential.';
  const roles = security.flatMap(({ credential }) => credential);
  const scopes = roles.filter((role) => role !== 'viewer').map((scope) => `\`${scope}\``);
  const key = scopes.length > 0 ? [`an API key with scope ${scopes.join(' or ')}`] : [];
  return `Needs ${[...key, ...(roles.includes('viewer') ? ['a viewer token'] : [])].join(', or ')}.`;
}

function renderBody(title: string, content: Content = {}): string[] {
  const types = Object.keys(content).map((type) => `\`${type}\``);
  const [{ schema = {} } = {}] = Object.values(content);
  if (types.length === 0) return [];
  const type = schema.properties ? '' : typeOf(schema);
  return [`**${title}:** ${[types.join(' or '), type].filter(Boolean).join(', ')}`, tableOf(schema)];
}

const tableOf = (schema: Schema) => table(['member', 'type', 'meaning'], rowsOf(schema));

/** A row for each member. A member of a member has its path as its name: `steps[].code`. */
function rowsOf({ properties = {}, required = [] }: Schema, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    return [
      [nameOf(path, required.includes(name)), typeOf(member), member.description ?? ''],
      ...(member.oneOf ? [] : rowsOf(member, `${path}.`)),
      ...(member.items ? rowsOf(member.items, `${path}[].`) : []),
    ];
  });
}

const nameOf = (name: string, isRequired = false) => (isRequired ? `\`${name}\`` : `\`${name}\` (optional)`);

/** The type in words, with its bounds. */
function typeOf(schema: Schema): string {
  const { $ref, type = [], enum: values, anyOf, oneOf = anyOf, items = {} } = schema;
  const name = $ref?.split('/').at(-1);
  if (name) return `[${name}](${resources}#${anchorOf(name)})`;
  const types = [type].flat();
  if (oneOf) return [...oneOf.map(typeOf), ...types.filter((each) => each === 'null')].join(' or ');
  const words = types.map((each) => (each === 'array' ? `array of ${typeOf(items) || 'anything'}` : each));
  const whole = values ? values.map((value) => `\`${value}\``) : words;
  return [whole.join(' or '), ...boundsOf(schema)].filter(Boolean).join(', ');
}

function boundsOf({ minimum, exclusiveMinimum, maximum, maxLength, maxItems, ...schema }: Schema): string[] {
  const bound = (before: string, count: number | undefined, after = '') =>
    // The largest integer of JSON is the bound of the format, not of the API.
    count === undefined || count === Number.MAX_SAFE_INTEGER
      ? ''
      : `${before}${count.toLocaleString('en')}${after}`;
  return [
    schema.format ?? '',
    bound('', minimum, ' or more'),
    bound('more than ', exclusiveMinimum),
    bound('at most ', maximum),
    bound('at most ', maxLength, ' characters'),
    bound('at most ', maxItems, ' items'),
    schema.pattern ? `\`${schema.pattern}\`` : '',
    schema.default === undefined ? '' : `default \`${schema.default}\``,
  ];
}

/** A refusal is described by its codes. A success without a description of its own has the generator's. */
function meaningOf(description: string): string {
  if (description === 'Default Response') return 'Done.';
  return refusalCodes.test(description) ? description.replaceAll(/[A-Z_]+/g, '`$&`') : description;
}

/** One block of Markdown; empty without rows. */
function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`,
  );
  return rows.length > 0 ? lines.join('\n') : '';
}

const join = (...blocks: string[]) => `${blocks.filter(Boolean).join('\n\n')}\n`;
const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
