// Random components: rewriting changes nothing a component can see, and the report
// keeps its invariants.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Component } from '../component-host.mjs';
import { generateComponent } from '../generate.mjs';
import { measure } from '../measure.mjs';
import { rewrite } from '../rewrite.mjs';
import { Activity } from '../activity.mjs';
import { assemble } from './wat.mjs';

const SEEDS = Array.from({ length: 25 }, (_, i) => 1000 + i);

test('the same seed gives the same module, another seed another', () => {
  assert.equal(generateComponent(5), generateComponent(5));
  assert.notEqual(generateComponent(5), generateComponent(6));
});

test('output and final memory are those of the module as it was', () => {
  for (const seed of SEEDS) {
    const bytes = assemble(generateComponent(seed));
    const plain = new Component(bytes);
    const output = plain.render(undefined, { seed: String(seed) });
    const activity = new Activity();
    const options = { accesses: true, counts: true, stackPointer: true };
    const tapped = new Component(bytes, { binary: rewrite(bytes, options), imports: activity.imports() });
    assert.deepEqual(tapped.render(undefined, { seed: String(seed) }), output, `seed ${seed}`);
    assert.ok(Buffer.from(tapped.memory).equals(Buffer.from(plain.memory)), `seed ${seed}: memory`);
  }
});

test('page totals and counters agree, and every row holds what a row must', () => {
  for (const seed of SEEDS) {
    const { pages, counts } = measure(assemble(generateComponent(seed)), {});
    const rows = pages.trimEnd().split('\n').slice(1).map((line) => line.split(','));
    const sum = (column) => rows.reduce((total, row) => total + Number(row[column]), 0);
    assert.equal(sum(4), counts.bytes_read, `seed ${seed}`);
    assert.equal(sum(6), counts.bytes_written, `seed ${seed}`);
    assert.ok(sum(3) >= counts.memory_reads && sum(5) >= counts.memory_writes);
    assert.equal(counts.calls + 1n, counts.returns);
    for (const [, region, initialized, reads, bytesRead, writes, bytesWritten, distinct, ratio] of rows) {
      assert.ok(Number(initialized) + Number(reads) + Number(writes) > 0);
      assert.ok(Number(reads) <= Number(bytesRead) && Number(writes) <= Number(bytesWritten));
      assert.ok(Number(distinct) <= Math.min(Number(bytesWritten), 65536));
      assert.equal(ratio === '', writes === '0');
      assert.ok(ratio === '' || Number(ratio) >= 1);
      assert.ok(region === 'other' || !region.includes('other'));
    }
  }
});
