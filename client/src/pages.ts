// Lists of the API, page by page.

/** A list: await it for one page, or iterate over the items of all pages. */
export interface Pages<Item, Pagination> extends PromiseLike<{ items: Item[]; pagination: Pagination }> {
  [Symbol.asyncIterator](): AsyncIterator<Item>;
}

type Input = Record<string, unknown>;

interface Page {
  items: unknown[];
  pagination: { page?: number; totalPages?: number; nextCursor?: string | null };
}

export class PageList implements Pages<unknown, unknown> {
  readonly #run: (more: Input) => Promise<unknown>;
  readonly #input: Input;

  constructor(run: (more: Input) => Promise<unknown>, input: Input) {
    this.#run = run;
    this.#input = input;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list returns its first page
  then<A, B>(
    onPage?: ((page: { items: unknown[]; pagination: unknown }) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#run({}) as Promise<Page>).then(onPage as never, onError as never);
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
