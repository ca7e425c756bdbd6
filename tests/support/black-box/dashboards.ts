import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';

const folder = join(repositoryFolder, 'ops/grafana/dashboards');

interface Variable {
  name: string;
  type: string;
  query: string | { query: string };
}

interface Panel {
  options?: Record<string, unknown> & { legend?: object };
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { type: string; uid: string };
  fieldConfig?: { defaults: { unit: string } };
  targets?: { refId: string; expr: string; datasource: { type: string; uid: string } }[];
}

/** The parts of a dashboard of Grafana that the tests look at. */
export interface Dashboard {
  file: string;
  uid: string;
  title: string;
  schemaVersion: number;
  links: object[];
  templating: { list: Variable[] };
  panels: Panel[];
}

/** The dashboards in ops/grafana. */
export function readDashboards(): Dashboard[] {
  return readdirSync(folder).map((file) => ({
    file,
    ...JSON.parse(readFileSync(join(folder, file), 'utf8')),
  }));
}

export function queriesOf({ panels }: Dashboard): { title: string; expr: string }[] {
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

/** The query with Grafana's variables filled in as for "All". */
export function fillVariables(expr: string, rateSeconds: number): string {
  return expr.replaceAll('$__rate_interval', `${rateSeconds}s`).replaceAll(/\$(job|service)\b/g, '.*');
}
