// Lists of the API, page by page.

/** A list: await it for one page, or iterate over the items of all pages. The request is made by the first of either. */
export interface Pages<Item, Pagination> extends Promise<{ items: Item[]; pagination: Pagination }> {
  [Symbol.asyncIterator](): AsyncIterator<Item>;
}

type FirstPage = Promise<{ items: unknown[]; pagination: unknown }>;
type Input = Record<string, unknown>;

interface Page {
  items: unknown[];
  pagination: { page?: number; totalPages?: number; nextCursor?: string | null };
}

export class PageList implements Pages<unknown, unknown> {
  readonly [Symbol.toStringTag] = 'PageList';
  readonly #run: (more: Input) => Promise<unknown>;
  readonly #input: Input;
  #awaited: Promise<Page> | undefined;

  constructor(run: (more: Input) => Promise<unknown>, input: Input) {
    this.#run = run;
    this.#input = input;
  }

  /** The requested page. It is requested once, however often it is awaited. */
  get #page(): FirstPage {
    this.#awaited ??= this.#run({}) as Promise<Page>;
    return this.#awaited;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list returns its first page
  then: FirstPage['then'] = (onPage, onError) => this.#page.then(onPage, onError);

  catch: FirstPage['catch'] = (onError) => this.#page.catch(onError);

  finally(onEnd?: (() => void) | null): FirstPage {
    return this.#page.finally(onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for (let more: Input = { limit: this.#input.limit ?? 100 }; ; ) {
      const { items, pagination } = (await this.#run(more)) as Page;
      yield* items;
      const { page = 1, totalPages, nextCursor } = pagination;
      if (nextCursor) more = { ...more, cursor: nextCursor };
      else if (totalPages !== undefined && page < totalPages) more = { ...more, page: page + 1 };
      else return;
    }
  }
}
