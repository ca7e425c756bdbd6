/** A promise that is settled from outside. (Phones that play natively have no `Promise.withResolvers`.) */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly isSettled: boolean;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A rejection that is not awaited is not an uncaught error. */
export function createDeferred<T>(): Deferred<T> {
  let isSettled = false;
  let settle: [(value: T) => void, (error: Error) => void] | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = [resolve, reject];
  });
  promise.catch(() => {});
  return {
    promise,
    get isSettled() {
      return isSettled;
    },
    resolve(value) {
      isSettled = true;
      settle?.[0](value);
    },
    reject(error) {
      isSettled = true;
      settle?.[1](error);
    },
  };
}
