/** One time series, minute by minute. `Infinity` and gaps are not needed; a value of null is a scrape that found nothing. */
export type Series = readonly (number | null)[];

/** How long each part of a made-up history lasts. */
export interface Phases {
  healthyMinutes: number;
  brokenMinutes: number;
  mendedMinutes: number;
}

/** A history of one metric: what a minute of it is worth, while healthy, broken and mended. */
export type History = (phases: Phases) => Series;

/** A value that is the same within each phase. Mended, it is again what it was. */
export function gauge(healthy: number | null, broken: number | null = healthy): History {
  return (phases) => minutesOf(phases).map((phase) => (phase === 'broken' ? broken : healthy));
}

/** A counter that rises by so much each minute. */
export function counter(healthy: number, broken: number = healthy): History {
  return (phases) => {
    let value = 0;
    return minutesOf(phases).map((phase) => {
      value += phase === 'broken' ? broken : healthy;
      return value;
    });
  };
}

/** A gauge that takes another value again and again while broken. */
export function changing(everyMinutes: number): History {
  return (phases) => {
    let value = 1;
    return minutesOf(phases).map((phase, minute) => {
      if (phase === 'broken' && minute % everyMinutes === 0) value++;
      return value;
    });
  };
}

/** In the notation of `promtool test rules`: values at an interval of a minute, `_` for none. */
export const toNotation = (series: Series): string => series.map((value) => value ?? '_').join(' ');

function minutesOf({ healthyMinutes, brokenMinutes, mendedMinutes }: Phases): ('healthy' | 'broken')[] {
  return [
    ...Array<'healthy'>(healthyMinutes).fill('healthy'),
    ...Array<'broken'>(brokenMinutes).fill('broken'),
    ...Array<'healthy'>(mendedMinutes).fill('healthy'),
  ];
}
