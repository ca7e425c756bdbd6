import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The fields that every object of Kubernetes has. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const root = join(import.meta.dirname, '..');

/** An overlay with components, as a platform team puts it together. */
export interface Composition {
  /** A folder of `overlays/`. */
  overlay: 'single' | 'distributed' | 'trial';
  /** Folders of `components/`. */
  components?: readonly string[];
}

/**
 * The objects of a composition as `kubectl kustomize` renders them, from an overlay as a platform team would write it.
 *
 * @throws Error with the output of kubectl on standard error. Warnings count: the next version may refuse what they name
 */
export function render(kubectl: string, { overlay, components = [] }: Composition): KubernetesObject[] {
  // Kustomize accepts no absolute paths, and no paths through a link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-k8s-')));
  try {
    const path = (...names: string[]) => relative(folder, join(root, ...names));
    const kustomization = {
      // The namespace of the overlay does not apply to the objects of a component.
      namespace: 'latchkey',
      resources: [path('overlays', overlay)],
      components: components.map((name) => path('components', name)),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return parse(run(kubectl, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(kubectl: string, folder: string): string {
  const { status, stdout, stderr, error } = spawnSync(kubectl, ['kustomize', folder], { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ended with ${status}: ${stderr}`);
  return stdout;
}

/** Kubernetes reads YAML 1.1, where `0440` is a number to the base eight. */
function parse(text: string): KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}
