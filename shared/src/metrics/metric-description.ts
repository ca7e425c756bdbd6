/** The description of a metric, for Prometheus and for docs/reference/metrics.md. */
export interface MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  /** In addition to `service`, which every series has. */
  readonly labels: readonly string[];
  /** A sentence for Prometheus and for the document. */
  readonly help: string;
  /** For the document: which value matters, and what to do. Markdown. */
  readonly lookAt: string;
}

/** Descriptions by the names of their metrics. */
export type Catalogue = Readonly<Record<string, MetricDescription>>;
