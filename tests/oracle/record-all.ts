import { makeCredentials } from './credentials.ts';
import { showErrors } from './errors.ts';
import { createForms, type Forms } from './forms.ts';
import { showLogLines } from './log-lines.ts';
import { showMetrics } from './metrics.ts';
import { adminKey } from './odd-key-requests.ts';
import { showDocument } from './openapi.ts';
import { readPrograms, showTexts } from './programs.ts';
import { createRecorder, type Json } from './recorder.ts';
import { createRecords, type Records } from './records.ts';
import { recordAccess } from './requests/access.ts';
import { recordBodies } from './requests/bodies.ts';
import { recordFlow, untilDelivered } from './requests/flows.ts';
import { recordMalformed, recordOddKeys } from './requests/malformed.ts';
import { listOperations } from './requests/operations.ts';
import { recordIds, recordMethods, recordQueries } from './requests/targets.ts';
import {
  type Neighbor,
  type Server,
  startNeighbor,
  startSeparateServices,
  startSingleNode,
} from './servers.ts';
import { fullSettings, limitedSettings } from './settings.ts';

/** Everything that the oracle records, by file. @param postgres whose role may create databases */
export async function recordAll(postgres: string): Promise<Map<string, string>> {
  const neighbor = await startNeighbor();
  try {
    const [records, forms] = [createRecords(), createForms(Date.now())];
    const [single, separate, programs] = await Promise.all([
      recordProfile((settings) => startSingleNode(settings), neighbor, records),
      recordProfile((settings) => startSeparateServices(settings, postgres), neighbor, records),
      readPrograms(),
    ]);
    const logs = new Map([...single.logs, ...separate.logs]);
    return new Map([
      ...records.render(),
      ...(single.document === separate.document
        ? [['openapi.txt', single.document] as const]
        : ([
            ['openapi.single-node.txt', single.document],
            ['openapi.gateway.txt', separate.document],
          ] as const)),
      ['help.txt', forms.apply(programs.help)],
      ['refusals.txt', forms.apply(programs.refusals)],
      ['metrics.txt', showMetrics(new Map([...single.metrics, ...separate.metrics]))],
      ['log-lines.txt', showTexts(logs)],
      ['errors.txt', showErrors()],
    ]);
  } finally {
    await neighbor.close();
  }
}

type Start = (settings: Record<string, string>) => Promise<Server>;

/** Records the server with every feature, then the server with few features and low limits. */
async function recordProfile(start: Start, neighbor: Neighbor, records: Records) {
  const forms = createForms(Date.now());
  forms.remember(neighbor.origin, 'neighbor');
  forms.remember(adminKey, 'bootstrap-key');
  const server = await start(fullSettings(neighbor.origin));
  let rest: { document: string; metrics: Map<string, string> };
  try {
    rest = await recordFull(server, neighbor.origin, forms, records);
  } finally {
    await server.close();
  }
  const limited = await start(limitedSettings);
  try {
    await recordFlow(createRecorder(limited, createForms(Date.now()), records), 'limits');
  } finally {
    await limited.close();
  }
  return { ...rest, logs: showLogLines(server, forms) };
}

async function recordFull(server: Server, origin: string, forms: Forms, records: Records) {
  const recorder = createRecorder(server, forms, records);
  const hook = `${origin}/hook`;
  await recordOddKeys(recorder);
  await recorder.call('PATCH', '/api/v1/content/film', { playlistUrl: `${origin}/film.m3u8` });
  // An event that does not happen here. An alert would, on a machine without processor time.
  await recorder.call('POST', '/api/v1/webhooks', { name: 'A', url: hook, events: ['lease.limit-reached'] });
  const credentials = await makeCredentials(recorder);
  const document: Json = await recorder.call('GET', '/openapi.json', undefined, adminKey);
  const operations = listOperations(document);
  await recordFlow(recorder, 'flows');
  await recordAccess(recorder, operations, credentials, hook);
  await recordBodies(recorder, operations, hook);
  await untilDelivered(recorder);
  await recordIds(recorder, operations, hook);
  await untilDelivered(recorder);
  await recordQueries(recorder, operations, hook);
  await recordMethods(recorder, operations);
  await recordMalformed(recorder);
  return { document: forms.apply(showDocument(document)), metrics: await server.readMetrics() };
}
