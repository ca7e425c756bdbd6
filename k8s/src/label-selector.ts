/** The part of Kubernetes' label selectors that the manifests use. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/**
 * Whether a selector matches these labels. An empty one matches all.
 *
 * @throws Error for an operator other than `In` and `NotIn`
 */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    equal &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In' && operator !== 'NotIn') throw new Error(`no such operator here: ${operator}`);
      return values.includes(labels[key] ?? '') === (operator === 'In');
    })
  );
}
