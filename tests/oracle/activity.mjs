// What a run did to memory, page by page, as the rewritten module tells it: the
// figures and the CSV of the page report, by the rules of the first seed.

const PAGE = 65536;

export const HEADER =
  'page,region,initialized_bytes,reads,bytes_read,writes,bytes_written,distinct_bytes_written,rewrite_ratio';

export class Activity {
  constructor() {
    this.pages = new Map();
    this.totals = { memory_reads: 0, memory_writes: 0, bytes_read: 0, bytes_written: 0 };
    this.lowest = undefined; // of global 0, unsigned
    this.listening = true;
  }

  // The imports that rewrite.mjs has the module call.
  imports() {
    const when = (listen) => (...args) => {
      if (this.listening) listen(...args.map((n) => n >>> 0));
    };
    return {
      oracle: {
        load: when((address, offset, width) => this.read(address + offset, width)),
        store: when((address, offset, width) => this.write(address + offset, width)),
        copy: when((to, from, length) => {
          this.read(from, length);
          this.write(to, length);
        }),
        fill: when((address, length) => this.write(address, length)),
        global: when((value) => {
          if (this.lowest === undefined || value < this.lowest) this.lowest = value;
        }),
      },
    };
  }

  page(index) {
    let page = this.pages.get(index);
    if (!page) {
      page = { initialized: 0, reads: 0, bytesRead: 0, writes: 0, bytesWritten: 0, written: new Uint8Array(PAGE) };
      this.pages.set(index, page);
    }
    return page;
  }

  // Calls visit(page, start, end) for each page that the range touches; start
  // and end are offsets in the page.
  eachPage(address, length, visit) {
    const end = address + length;
    for (let at = address; at < end; ) {
      const index = Math.floor(at / PAGE);
      const stop = Math.min(end, (index + 1) * PAGE);
      visit(this.page(index), at - index * PAGE, stop - index * PAGE);
      at = stop;
    }
  }

  initialize(address, length) {
    this.eachPage(address, length, (page, start, end) => {
      page.initialized += end - start;
    });
  }

  read(address, length) {
    if (length === 0) return;
    this.totals.memory_reads++;
    this.totals.bytes_read += length;
    this.eachPage(address, length, (page, start, end) => {
      page.reads++;
      page.bytesRead += end - start;
    });
  }

  write(address, length) {
    if (length === 0) return;
    this.totals.memory_writes++;
    this.totals.bytes_written += length;
    this.eachPage(address, length, (page, start, end) => {
      page.writes++;
      page.bytesWritten += end - start;
      page.written.fill(1, start, end);
    });
  }

  // regions: [name, start, end] in label order, half-open; empty ones label nothing.
  csv(regions) {
    const rows = [...this.pages.keys()].sort((a, b) => a - b).map((index) => {
      const [start, end] = [index * PAGE, (index + 1) * PAGE];
      const overlapping = regions.filter(([, from, to]) => from < to && from < end && to > start);
      const names = [...new Set(overlapping.map(([name]) => name))];
      return row(index, names.join('+') || 'other', this.pages.get(index));
    });
    return [HEADER, ...rows].join('\n') + '\n';
  }
}

function row(index, region, { initialized, reads, bytesRead, writes, bytesWritten, written }) {
  const distinct = written.reduce((sum, mark) => sum + mark, 0);
  const ratio = writes === 0 ? '' : hundredths(bytesWritten, distinct);
  return [index, region, initialized, reads, bytesRead, writes, bytesWritten, distinct, ratio].join(',');
}

// Two decimals, rounded half up, in integers.
function hundredths(numerator, denominator) {
  const value = (200n * BigInt(numerator) + BigInt(denominator)) / (2n * BigInt(denominator));
  return `${value / 100n}.${String(value % 100n).padStart(2, '0')}`;
}
