"""Shards of postings: which pieces hold which terms, packed into flat arrays.

Sources are spread over a fixed number of shards by their path alone, so an edit
rewrites one shard and an index made in steps equals one made from scratch. A term is
a 64-bit keyed hash; a posting is a piece number and one weight byte: how often the
term stands in the text (1 to 31, 0 when only in a heading), plus flags.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import IndexCorruptError
from corpus.sources.facts import Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SHARDS = 16

COUNT_MASK = 31
IN_HEADING = 32
IN_TITLE = 64

WEIGHT_BITS = 8
WEIGHT_MASK = (1 << WEIGHT_BITS) - 1


class SourcePieces(NamedTuple):
    """One source's contribution to a shard, before it is packed.

    `postings[i]` maps each term of piece i to its weight byte; `same[i]` is a hash of
    its text, `lengths[i]` its number of terms.
    """

    pieces: tuple[Piece, ...]
    postings: tuple[Mapping[int, int], ...]
    same: tuple[int, ...]
    lengths: tuple[int, ...]


class Shard(NamedTuple):
    """A packed shard. Piece arrays run parallel; term arrays run parallel.

    `owners` gives each piece's source as its position in the shard's sorted paths.
    Pieces `headings` are flattened; `depths` tells how many each piece has.
    """

    owners: array[int]
    firsts: array[int]
    lasts: array[int]
    begins: array[int]
    ends: array[int]
    depths: array[int]
    headings: array[int]
    same: array[int]
    lengths: array[int]
    terms: array[int]
    starts: array[int]
    entries: array[int]
    weights: array[int]


TYPECODES = dict(
    zip(
        Shard._fields,
        ("I", "I", "I", "I", "I", "B", "I", "Q", "I", "Q", "I", "I", "B"),
        strict=True,
    )
)


def shard_number(path: str) -> int:
    """Say which shard a source belongs to; depends on nothing but its path."""
    return zlib.crc32(path.encode("utf-8")) % SHARDS


def pack(sources: Sequence[SourcePieces]) -> Shard:
    """Pack sources, given in path order, into a shard."""
    lists: dict[int, list[int]] = {}
    shard = _empty()
    number = 0
    for owner, source in enumerate(sources):
        for at, piece in enumerate(source.pieces):
            _add_piece(shard, owner, source, at, piece)
            shifted = number << WEIGHT_BITS
            for term, weight in source.postings[at].items():
                if term in lists:
                    lists[term].append(shifted | weight)
                else:
                    lists[term] = [shifted | weight]
            number += 1
    _add_lists(shard, lists)
    return shard


def unpack(shard: Shard, owners: int) -> list[SourcePieces]:
    """Give back what `pack` was given, for `owners` sources."""
    postings: list[dict[int, int]] = [{} for _ in shard.owners]
    terms, starts = shard.terms, shard.starts
    entries, weights = shard.entries, shard.weights
    for at, term in enumerate(terms):
        for i in range(starts[at], starts[at + 1]):
            postings[entries[i]][term] = weights[i]
    pieces = list(iter_pieces(shard))
    found: list[SourcePieces] = []
    begin = 0
    for owner in range(owners):
        end = begin
        while end < len(pieces) and shard.owners[end] == owner:
            end += 1
        found.append(
            SourcePieces(
                tuple(pieces[begin:end]),
                tuple(postings[begin:end]),
                tuple(shard.same[begin:end]),
                tuple(shard.lengths[begin:end]),
            )
        )
        begin = end
    return found


def iter_pieces(shard: Shard) -> Iterator[Piece]:
    """Give a shard's pieces in order."""
    at = 0
    for number, depth in enumerate(shard.depths):
        yield Piece(
            shard.firsts[number],
            shard.lasts[number],
            shard.begins[number],
            shard.ends[number],
            tuple(shard.headings[at : at + depth]),
        )
        at += depth


def piece_at(shard: Shard, number: int) -> Piece:
    """Give one piece of a shard."""
    at = sum(shard.depths[:number])
    return Piece(
        shard.firsts[number],
        shard.lasts[number],
        shard.begins[number],
        shard.ends[number],
        tuple(shard.headings[at : at + shard.depths[number]]),
    )


def to_blobs(shard: Shard) -> tuple[bytes, ...]:
    """Serialise the arrays, little-endian, 16-bit where every value fits."""
    return tuple(_blob(field) for field in shard)


def from_blobs(blobs: Iterable[bytes], where: str) -> Shard:
    """Read what `to_blobs` wrote; raises `IndexCorruptError`."""
    fields = []
    for blob, code in zip(blobs, TYPECODES.values(), strict=True):
        try:
            fields.append(_field(blob, code))
        except (ValueError, IndexError):
            raise IndexCorruptError(path=where, reason="a shard is cut") from None
    shard = Shard(*fields)
    if len(shard.starts) != len(shard.terms) + 1:
        raise IndexCorruptError(path=where, reason="a shard does not add up")
    return shard


def _empty() -> Shard:
    return Shard(*(array(code) for code in TYPECODES.values()))


def _add_piece(
    shard: Shard, owner: int, source: SourcePieces, at: int, piece: Piece
) -> None:
    shard.owners.append(owner)
    shard.firsts.append(piece.first)
    shard.lasts.append(piece.last)
    shard.begins.append(piece.begin)
    shard.ends.append(piece.end)
    shard.depths.append(len(piece.headings))
    shard.headings.extend(piece.headings)
    shard.same.append(source.same[at])
    shard.lengths.append(source.lengths[at])


def _add_lists(shard: Shard, lists: Mapping[int, list[int]]) -> None:
    ordered = sorted(lists)
    shard.terms.extend(ordered)
    shard.starts.extend(accumulate((len(lists[term]) for term in ordered), initial=0))
    joined = list(chain.from_iterable(map(lists.__getitem__, ordered)))
    shard.entries.extend([entry >> WEIGHT_BITS for entry in joined])
    shard.weights.extend([entry & WEIGHT_MASK for entry in joined])


def _blob(values: array[int]) -> bytes:
    code = values.typecode
    if code == "I" and (not values or max(values) < 1 << 16):
        code, values = "H", array("H", values)
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return code.encode("ascii") + values.tobytes()


def _field(blob: bytes, code: str) -> array[int]:
    stored = chr(blob[0])
    if stored != code and (stored, code) != ("H", "I"):
        raise ValueError(stored)
    values = array(stored)
    values.frombytes(blob[1:])
    if sys.byteorder == "big":
        values.byteswap()
    return values
