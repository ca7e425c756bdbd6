import { type ChainName, hashPlace } from './entry-hash.ts';
import type { ChainedPlace } from './read-places.ts';
import type { Anchor, ChainHead, VerifiedChain, VerifyOptions } from './verification.ts';

/** Follows one chain from its cut to its end. */
export class ChainCheck {
  readonly #chain: ChainName;
  readonly #secret: Buffer | null;
  readonly #anchors: Map<number, Anchor>;
  readonly #end: ChainHead;
  readonly #report: (finding: string) => void;
  #cut: ChainHead;
  /** The last place that was checked. */
  place: number;
  /** Its hash; null where the place itself is missing, so that the next one cannot be checked. */
  #hash: string | null;
  #checked = 0;
  #unkeyed = 0;
  #hasKeyed = false;

  /** @param end the head at the beginning of the check: later places are left out */
  constructor(chain: ChainName, { secret, anchors, onFinding, end }: VerifyOptions & { end: ChainHead }) {
    this.#chain = chain;
    this.#secret = secret;
    this.#anchors = new Map(anchors.filter((one) => one.chain === chain).map((one) => [one.place, one]));
    this.#report = (finding) => onFinding(`chain ${chain}: ${finding}`);
    this.#end = end;
    this.#cut = end;
    this.place = end.cutPlace;
    this.#hash = end.cutHash;
  }

  /** The retention has removed the places up to there since the check began. */
  cutTo(head: ChainHead): void {
    this.#cut = head;
    this.place = head.cutPlace;
    this.#hash = head.cutHash;
  }

  add({ place, number, hash, row }: ChainedPlace): void {
    if (place !== this.place + 1) this.#reportGap(place - 1);
    this.#checked++;
    if (row === null) this.#report(`row ${number} is gone (place ${place})`);
    else if (this.#hash !== null) {
      const at = { chain: this.#chain, place, previous: this.#hash, row };
      if (!this.#isHashOf(at, hash)) this.#report(`row ${number} is not as it was chained (place ${place})`);
    }
    this.#compare(place, hash);
    this.place = place;
    this.#hash = hash;
  }

  #isHashOf(at: Parameters<typeof hashPlace>[0], hash: string): boolean {
    if (this.#secret && hashPlace(at, this.#secret) === hash) {
      this.#hasKeyed = true;
      return true;
    }
    // Places from before the secret was set. After the first one with it, everybody could have made one without it.
    if (this.#hasKeyed || hashPlace(at, null) !== hash) return false;
    if (this.#secret) this.#unkeyed++;
    return true;
  }

  #compare(place: number, hash: string): void {
    const anchor = this.#anchors.get(place);
    this.#anchors.delete(place);
    if (anchor && anchor.hash !== hash)
      this.#report(
        `place ${place} had another hash before: everything up to there may have been written anew`,
      );
  }

  #reportGap(last: number): void {
    const first = this.place + 1;
    this.#report(first === last ? `place ${first} is missing` : `places ${first} to ${last} are missing`);
    this.#hash = null;
  }

  end(): VerifiedChain {
    if (this.place < this.#end.place) this.#reportGap(this.#end.place);
    else if (this.#hash !== this.#end.hash)
      this.#report(`the end (place ${this.place}) is not the one that was stored last`);
    if (this.#cut.cutPlace > 0) this.#compare(this.#cut.cutPlace, this.#cut.cutHash);
    for (const { place } of this.#anchors.values()) {
      if (place > this.#end.place)
        this.#report(
          `it ends at place ${this.#end.place}, but place ${place} was there before: its end was removed`,
        );
    }
    return {
      chain: this.#chain,
      place: this.#end.place,
      hash: this.#end.hash,
      checked: this.#checked,
      unkeyed: this.#unkeyed,
      cutPlace: this.#cut.cutPlace,
      cutAt: this.#cut.cutAt,
      cutNewest: this.#cut.cutNewest,
    };
  }
}
