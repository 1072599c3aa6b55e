package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Kinds of breaks in the audit's chain.
const (
	BreakContent = "content"      // a row is not what it was when it was written
	BreakOrder   = "order"        // a row does not follow the one before it
	BreakGap     = "gap"          // rows are missing between two
	BreakTail    = "missing tail" // the newest rows are missing
	BreakExtra   = "extra"        // a row that the chain does not know
	BreakHead    = "head"         // the stored end of the chain is not the last row's
	BreakWitness = "witness"      // a row has another hash than was noted elsewhere
)

// AuditBreak is the first place where the chain does not hold.
type AuditBreak struct {
	Row    int64 // id
	Kind   string
	Detail string // a sentence for people
}

// AuditWitness is a row's hash that was noted at another place: what a chain that
// was made anew from some row on cannot have.
type AuditWitness struct {
	Row  int64
	Hash string
}

// AuditReport is what VerifyAudit found.
type AuditReport struct {
	Checked     int64 // rows whose hash was computed again
	Removed     int64 // rows that retention removed, in all
	Unchained   int64 // rows from before there was a chain, which nothing protects
	First, Last int64 // ids of the rows that were checked; 0: none
	LastHash    string
	Break       *AuditBreak // nil: the chain holds
}

// VerifyAudit walks the whole chain on one state of the database, from the oldest
// row on, and stops at the first break. It changes nothing. witness may be nil; a
// row that retention removed says nothing.
func (s *Store) VerifyAudit(ctx context.Context, witness *AuditWitness) (*AuditReport, error) {
	if err := s.chainPending(ctx); err != nil {
		return nil, fmt.Errorf("verify the audit: %w", err)
	}
	report := &AuditReport{}
	err := s.snapshot(ctx, func(tx *gorm.DB) error {
		chain, err := auditChain(tx)
		if err != nil {
			return err
		}
		report.Removed = chain.Removed
		if err := tx.Model(&models.Audit{}).Where("id <= ?",
			chain.Unchained).Count(&report.Unchained).Error; err != nil {
			return err
		}
		if report.Break, err = foreignRow(tx, chain); err != nil || report.Break != nil {
			return err
		}
		if err := walkChain(tx, chain, report); err != nil || report.Break != nil || witness == nil {
			return err
		}
		report.Break, err = contradicts(tx, chain, *witness)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("verify the audit: %w", err)
	}
	return report, nil
}

// foreignRow finds a row before the chain that the store never wrote there: ids
// begin at 1, and where retention has removed chained rows, it has removed all
// older ones too.
func foreignRow(tx *gorm.DB, chain models.AuditChain) (*AuditBreak, error) {
	first := int64(1)
	if chain.BeginID > chain.Unchained {
		first = chain.Unchained + 1
	}
	var ids []int64
	if err := tx.Model(&models.Audit{}).Where("id < ?", first).Order("id").Limit(1).Pluck("id",
		&ids).Error; err != nil || len(ids) == 0 {
		return nil, err
	}
	return &AuditBreak{ids[0], BreakExtra, fmt.Sprintf("row %d lies before the beginning of the audit", ids[0])}, nil
}

func walkChain(tx *gorm.DB, chain models.AuditChain, report *AuditReport) error {
	const batch = 1000
	lastID, lastHash := chain.BeginID, chain.BeginHash
	for after := chain.Unchained; ; {
		rows, unreadable, err := readAudit(tx, after, batch)
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if report.Break = breakAt(row, lastID, lastHash, chain); report.Break != nil {
				return nil
			}
			if report.Checked == 0 {
				report.First = row.ID
			}
			report.Checked++
			report.Last, report.LastHash = row.ID, row.Hash
			after, lastID, lastHash = row.ID, row.ID, row.Hash
		}
		if report.Break = unreadable; report.Break != nil {
			return nil
		}
		if len(rows) < batch {
			break
		}
	}
	switch {
	case lastID < chain.LastID:
		report.Break = &AuditBreak{lastID + 1, BreakTail, fmt.Sprintf("rows %d to %d are missing at the end", lastID+1,
			chain.LastID)}
	case lastHash != chain.LastHash:
		report.Break = &AuditBreak{lastID, BreakHead,
			fmt.Sprintf("the stored end of the chain has another hash than row %d", lastID)}
	}
	return nil
}

// readAudit reads the next rows, up to one that holds something that no row can
// hold: SQLite takes a text for a time.
func readAudit(tx *gorm.DB, after int64, most int) (rows []models.Audit, unreadable *AuditBreak, err error) {
	whole := tx.Where("id > ?", after).Order("id").Limit(most).Find(&rows).Error
	if whole == nil {
		return rows, nil, nil
	}
	rows = nil
	var ids []int64
	if err := tx.Model(&models.Audit{}).Where("id > ?", after).Order("id").Limit(most).Pluck("id",
		&ids).Error; err != nil {
		return nil, nil, errors.Join(whole, err)
	}
	for _, id := range ids {
		var row models.Audit
		if err := tx.Take(&row, "id = ?", id).Error; err != nil {
			if tx.Statement.Context.Err() != nil {
				return nil, nil, err
			}
			return rows, &AuditBreak{id, BreakContent, fmt.Sprintf("row %d was changed: it cannot be read (%v)", id,
				err)}, nil
		}
		rows = append(rows, row)
	}
	return nil, nil, whole
}

// breakAt says what is wrong with a row that should follow the row lastID.
func breakAt(row *models.Audit, lastID int64, lastHash string, chain models.AuditChain) *AuditBreak {
	found := func(kind, format string, args ...any) *AuditBreak {
		return &AuditBreak{Row: row.ID, Kind: kind, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case row.ID <= lastID:
		return found(BreakExtra, "row %d was removed by retention, but is there", row.ID)
	case row.ID > chain.LastID:
		return found(BreakExtra, "row %d lies behind the end of the chain, row %d", row.ID, chain.LastID)
	case auditHash(row) != row.Hash:
		return found(BreakContent, "row %d was changed: its hash is not that of its content", row.ID)
	case row.ID > lastID+1:
		return found(BreakGap, "rows %d to %d are missing", lastID+1, row.ID-1)
	case row.PreviousHash != lastHash:
		return found(BreakOrder, "row %d does not follow row %d: that has another hash than the one noted in it",
			row.ID, lastID)
	}
	return nil
}

func contradicts(tx *gorm.DB, chain models.AuditChain, witness AuditWitness) (*AuditBreak, error) {
	found := func(format string, args ...any) (*AuditBreak, error) {
		return &AuditBreak{Row: witness.Row, Kind: BreakWitness, Detail: fmt.Sprintf(format, args...)}, nil
	}
	switch {
	case witness.Row > chain.LastID:
		return found("row %d was noted, but the chain ends at row %d", witness.Row, chain.LastID)
	case witness.Row < chain.BeginID:
		return nil, nil
	case witness.Row == chain.BeginID:
		if chain.BeginHash != witness.Hash {
			return found("row %d, the last one that retention removed, has another hash than was noted", witness.Row)
		}
		return nil, nil
	}
	var row models.Audit
	if err := tx.Select("hash").Take(&row, "id = ?", witness.Row).Error; err != nil {
		return nil, err
	}
	if row.Hash != witness.Hash {
		return found("row %d has another hash than was noted: the chain was made anew", witness.Row)
	}
	return nil, nil
}
